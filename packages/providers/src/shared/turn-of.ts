import { LABEL } from '@rungar/labels';
import type { MachineRequest } from '@rungar/model';
import type { Turn } from './fair-queue.js';

/** Whose turn a creation waits for: scale sets of one priority take turns. */
export function turnOf({ labels, priority = 0 }: MachineRequest): Turn {
  return { priority, key: labels[LABEL.scaleSet] ?? '' };
}
