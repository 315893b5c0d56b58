import { type Labels, parseAwsTags, parseDicerLabels, parseGcpMetadata, parseProxmoxDescription } from '@rungar/labels';
import { messageOf, RungarError } from '@rungar/model';
import type { Backend } from './labels-encode.js';

/** A machine as its backend printed it. */
export interface Instance {
  readonly name?: string;
  readonly labels: Labels;
  readonly created?: Date;
}

type Json = Readonly<Record<string, unknown>>;

interface Format {
  /** A command that prints what is wanted. */
  readonly printedBy: string;
  /** What an answer may be wrapped in, from the outside in: members that hold instances, or further wrapping. */
  readonly wrappings: readonly string[];
  /** A member that tells an instance from anything else. */
  readonly mark: (json: Json) => boolean;
  read(json: Json): Instance;
}

const FORMATS: Readonly<Record<Backend, Format>> = {
  aws: {
    printedBy: 'aws ec2 describe-instances --output json',
    wrappings: ['Reservations', 'Instances'],
    mark: (json) => 'InstanceId' in json || 'Tags' in json,
    read: (json) => ({ ...named(awsName(json.Tags)), labels: parseAwsTags(json.Tags as undefined) }),
  },
  dicer: {
    printedBy: 'the answer of ListInstances or GetInstance as JSON',
    wrappings: ['instances'],
    mark: (json) => 'name' in json || 'labels' in json,
    read: (json) => ({ ...named(json.name), labels: parseDicerLabels(json.labels as undefined) }),
  },
  gcp: {
    printedBy: 'gcloud compute instances describe NAME --format=json',
    wrappings: ['items'],
    mark: (json) => 'name' in json,
    read: (json) => ({ ...named(json.name), labels: parseGcpMetadata(metadataItem(json.metadata)) ?? {} }),
  },
  proxmox: {
    printedBy: 'pvesh get /nodes/NODE/qemu/VMID/config --output-format json',
    wrappings: ['data'],
    mark: (json) => 'name' in json || 'description' in json,
    read: (json) => ({
      ...named(json.name),
      ...(parseProxmoxDescription(json.description as undefined) ?? { labels: {} }),
    }),
  },
};

/**
 * The machines in what a backend's own command line or API prints: one, a list, or the whole answer.
 * @param source what to call the text in an error
 * @throws RungarError `invalid_argument` when it is not JSON or holds no machine
 */
export function readInstances(type: Backend, text: string, source: string): Instance[] {
  const format = FORMATS[type];
  const hint = `give ${type === 'dicer' ? format.printedBy : `what \`${format.printedBy}\` prints`}`;
  const instances = unwrap(parse(text, source, hint), format.wrappings);
  if (instances.length === 0 || !instances.every(format.mark)) {
    throw new RungarError('invalid_argument', `${source} holds no ${type} instance`, { hint });
  }
  return instances.map(format.read);
}

function parse(text: string, source: string, hint: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RungarError('invalid_argument', `${source} is not JSON: ${messageOf(error)}`, { cause: error, hint });
  }
}

/** Every object within lists and the wrappings named. */
function unwrap(value: unknown, wrappings: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap((one) => unwrap(one, wrappings));
  if (typeof value !== 'object' || value === null) return [];
  const json = value as Json;
  const wrapping = wrappings.find((name) => typeof json[name] === 'object' && json[name] !== null);
  return wrapping ? unwrap(json[wrapping], wrappings) : [json];
}

function named(name: unknown): { name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {};
}

function awsName(tags: unknown): unknown {
  if (!Array.isArray(tags)) return undefined;
  return tags.find((tag) => tag?.Key === 'Name')?.Value;
}

function metadataItem(metadata: unknown): string | undefined {
  const items = (metadata as { items?: unknown } | undefined)?.items;
  if (!Array.isArray(items)) return undefined;
  return items.find((item) => item?.key === 'rungar-labels')?.value;
}
