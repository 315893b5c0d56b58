import type { Labels } from '@rungar/model';
import { InvalidArgument, shown } from './invalid-argument.js';
import { RESERVED_PREFIX, sortedKeys, textOf } from './keys.js';

const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;

/** A tag as EC2's API takes it. */
export interface AwsTag {
  Key: string;
  Value: string;
}

/** A filter as EC2's API takes it. */
export interface AwsFilter {
  Name: string;
  Values: string[];
}

/**
 * `labels` as EC2 tags, as they are, by key.
 * @throws an error of code `invalid_argument` when a key is not 1 to 128 characters or a value has over 256, the most
 * that EC2 keeps
 */
export function toAwsTags(labels: Labels): AwsTag[] {
  return sortedKeys(labels).map((key) => {
    const value = textOf(labels, key);
    if (key === '' || isLonger(key, LONGEST_KEY)) {
      throw new InvalidArgument(`the label key ${shown(key)} cannot be an EC2 tag: a key has 1 to 128 characters`);
    }
    if (isLonger(value, LONGEST_VALUE)) {
      throw new InvalidArgument(`the label ${shown(key)} cannot be an EC2 tag: a value has at most 256 characters`);
    }
    return { Key: key, Value: value };
  });
}

/** The labels among an instance's tags: those whose key starts `rungar.sh/`. Anything unlike a tag is passed over. */
export function parseAwsTags(
  tags: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[] | undefined,
): Labels {
  const labels: Record<string, string> = {};
  if (!Array.isArray(tags)) return labels;
  for (const tag of tags) {
    const key: unknown = tag?.Key;
    if (typeof key !== 'string' || !key.startsWith(RESERVED_PREFIX)) continue;
    const value: unknown = tag.Value ?? '';
    if (typeof value === 'string') labels[key] = value;
  }
  return labels;
}

/** `selector` as filters of `DescribeInstances`, by key. What EC2 would take for a wildcard is escaped. */
export function awsTagFilters(selector: Labels): AwsFilter[] {
  return sortedKeys(selector).map((key) => ({
    Name: `tag:${key}`,
    Values: [textOf(selector, key).replace(/[\\*?]/g, '\\$&')],
  }));
}

/** Whether `text` has more than `limit` code points. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit;
}
