import type { Labels } from '@rungar/model';
import { labelsJson } from './canonical-json.js';
import { InvalidArgument, requireText, shown } from './invalid-argument.js';
import { isLabels, LABEL, textOf } from './keys.js';
import { sha256Hex } from './sha256.js';
import { lowerCase, sortUtf8 } from './text.js';

const PREFIX = 'rungar_';
const LONGEST_KEY = 63;
const OUTSIDE_THE_ALPHABET = /[^a-z0-9_-]/gu;
const LEGAL_VALUE = /^[a-z0-9_-]{0,63}$/;

/**
 * The Compute Engine label key that stands for a label key: in lower case, with `_` for every character Compute Engine
 * does not allow, starting `rungar_`. One over 63 characters is cut to 54 and told apart by a hash of the original.
 * @throws an error of code `invalid_argument` when `key` is not text
 */
export function gcpLabelKey(key: string): string {
  switch (key) {
    // The labels of every machine: what the rule makes of them, written out.
    case LABEL.installation:
      return 'rungar_sh_installation';
    case LABEL.managed:
      return 'rungar_sh_managed';
    case LABEL.revision:
      return 'rungar_sh_revision';
    case LABEL.runner:
      return 'rungar_sh_runner';
    case LABEL.scaleSet:
      return 'rungar_sh_scale-set';
    default:
      return legalKey(key);
  }
}

function legalKey(key: string): string {
  requireText(key, 'a label key');
  const legal = lowerCase(key).replace(OUTSIDE_THE_ALPHABET, '_');
  const own = legal.startsWith(PREFIX) ? legal : PREFIX + legal;
  return own.length <= LONGEST_KEY ? own : `${own.slice(0, 54)}_${sha256Hex(key, 8)}`;
}

/**
 * The Compute Engine label value that stands for a label value: the value itself where Compute Engine allows it (at
 * most 63 of `a-z 0-9 _ -`), else `h-` and 16 hex digits of its hash.
 * @throws an error of code `invalid_argument` when `value` is not text
 */
export function gcpLabelValue(value: string): string {
  requireText(value, 'a label value');
  return LEGAL_VALUE.test(value) ? value : `h-${sha256Hex(value, 16)}`;
}

/**
 * The Compute Engine labels by which an instance is found. The exact labels are in {@link toGcpMetadata}.
 * @throws an error of code `invalid_argument` when two keys would become one
 */
export function toGcpLabels(labels: Labels): Record<string, string> {
  const out: Record<string, string> = {};
  for (const key of Object.keys(labels)) {
    const computeKey = gcpLabelKey(key);
    if (Object.hasOwn(out, computeKey)) {
      throw new InvalidArgument(
        `the label ${shown(key)} cannot be told from another one on Google Cloud: both would be ${computeKey}`,
      );
    }
    out[computeKey] = gcpLabelValue(textOf(labels, key));
  }
  return out;
}

/**
 * The filter of an instance listing that finds whatever could match `selector`; the labels in the metadata decide.
 * @throws an error of code `invalid_argument` when two keys would become one
 */
export function gcpLabelFilter(selector: Labels): string {
  const labels = toGcpLabels(selector);
  return sortUtf8(Object.keys(labels))
    .map((key) => `(labels.${key} = "${labels[key]}")`)
    .join(' ');
}

/** The text of the `rungar-labels` metadata item: the labels exactly, as JSON. */
export function toGcpMetadata(labels: Labels): string {
  return labelsJson(labels);
}

/** The labels a `rungar-labels` metadata item holds; nothing when it is not a JSON map of texts. */
export function parseGcpMetadata(text: string | undefined): Labels | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isLabels(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
