import { Ec2Error, invalidValue } from './errors.js';
import type { QueryParameters } from './query.js';

export type Tags = ReadonlyMap<string, string>;

/** Tags by the kind of resource they are for. */
export type TagsByResource = ReadonlyMap<string, Tags>;

const TAGGABLE_AT_LAUNCH: readonly string[] = ['instance', 'volume', 'network-interface', 'spot-instances-request'];
const MOST_TAGS = 50;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;

/** The `TagSpecification.N` of a launch. */
export function readTagSpecifications(params: QueryParameters): TagsByResource {
  const byResource = new Map<string, Tags>();
  for (const specification of params.structures('TagSpecification')) {
    const resource = specification.requiredText('ResourceType');
    if (!TAGGABLE_AT_LAUNCH.includes(resource)) {
      throw invalidValue(`'${resource}' is not a valid taggable resource type for this operation.`);
    }
    if (byResource.has(resource))
      throw invalidValue(`Duplicate resource type '${resource}' in the tag specifications.`);
    const tags = readTags(specification);
    if (tags.size === 0) throw invalidValue('Tag specification must have at least one tag');
    byResource.set(resource, tags);
  }
  return byResource;
}

/** The `Tag.N` of a request or a tag specification. */
export function readTags(params: QueryParameters): Tags {
  const tags = new Map<string, string>();
  for (const tag of params.structures('Tag')) {
    const key = tag.requiredText('Key');
    const value = tag.text('Value') ?? '';
    checkTag(key, value);
    if (tags.has(key)) throw invalidValue(`Duplicate tag key '${key}' specified.`);
    tags.set(key, value);
  }
  checkTagCount(tags);
  return tags;
}

/** @throws Ec2Error `TagLimitExceeded` for more tags than a resource can have */
export function checkTagCount(tags: Tags): void {
  if (tags.size > MOST_TAGS) {
    throw new Ec2Error('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
  }
}

function checkTag(key: string, value: string): void {
  if (/^aws:/i.test(key)) throw invalidValue("Tag keys starting with 'aws:' are reserved for internal use");
  if ([...key].length > LONGEST_KEY)
    throw invalidValue(`Tag key exceeds the maximum length of ${LONGEST_KEY} characters`);
  if ([...value].length > LONGEST_VALUE) {
    throw invalidValue(`Tag value exceeds the maximum length of ${LONGEST_VALUE} characters`);
  }
}
