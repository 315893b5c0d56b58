import { LABEL } from '@rungar/labels';

const OURS: ReadonlySet<string> = new Set(Object.values(LABEL));

/** Whether a label is one that Rungar gives a machine; others are its owner's, and may say anything. */
export function isOurLabel(key: string): boolean {
  return OURS.has(key);
}
