import type { Labels } from '@rungar/model';
import { requireText } from './invalid-argument.js';

/**
 * The labels of a Dicer instance: `labels` as they are.
 * @throws an error of code `invalid_argument` when a value is not text
 */
export function toDicerLabels(labels: Labels): Record<string, string> {
  const entries = Object.entries(labels);
  for (const [key, value] of entries) requireText(value, key);
  return Object.fromEntries(entries);
}

/** The labels of a Dicer instance. Whatever is not text is passed over. */
export function parseDicerLabels(map: Readonly<Record<string, string>> | undefined): Labels {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return {};
  return Object.fromEntries(Object.entries(map).filter(([, value]) => typeof value === 'string'));
}
