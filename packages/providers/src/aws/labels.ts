import { type AwsTag, toAwsTags } from '@rungar/labels';
import type { Labels } from '@rungar/model';

/** The tag EC2's console shows as an instance's name. */
export const NAME_TAG = 'Name';

/**
 * The tags of a runner's instance and of its volumes: its name, the runner block's tags and the labels, later ones
 * winning, by key.
 */
export function machineTags(
  name: string,
  blockTags: ReadonlyMap<string, string> | undefined,
  labels: Labels,
): AwsTag[] {
  return toAwsTags({ [NAME_TAG]: name, ...Object.fromEntries(blockTags ?? []), ...labels });
}

/** The name among an instance's tags; empty when it has none. */
export function nameOf(
  tags: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
): string {
  return tags.find((tag) => tag.Key === NAME_TAG)?.Value ?? '';
}
