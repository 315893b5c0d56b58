import { LABEL, matchesSelector } from '@rungar/labels';
import type { Labels } from '@rungar/model';

/** Whether labels say that a machine of that name is a runner's of the selector. */
export function isOurs(labels: Labels, name: string, selector: Labels): boolean {
  return labels[LABEL.runner] === name && matchesSelector(labels, selector);
}
