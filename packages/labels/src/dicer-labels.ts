import type { Labels } from '@rungar/model';
import { isLabels, textOf } from './keys.js';

/**
 * The labels of a Dicer instance: `labels` as they are.
 * @throws an error of code `invalid_argument` when a value is not text
 */
export function toDicerLabels(labels: Labels): Record<string, string> {
  for (const key of Object.keys(labels)) textOf(labels, key);
  return { ...labels };
}

/** The labels of a Dicer instance. Whatever is not text is passed over. */
export function parseDicerLabels(map: Readonly<Record<string, string>> | undefined): Labels {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return {};
  if (isLabels(map)) return { ...map };
  const texts = Object.entries<unknown>(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}
