import { parseGcpMetadata } from '@rungar/labels';
import type { Machine, MachineState } from '@rungar/model';
import { lastSegment } from './names.js';
import type { RawInstance } from './wire.js';

/** The metadata item that holds an instance's labels exactly. */
export const LABELS_ITEM = 'rungar-labels';
/** And the one its registration is in. */
export const REGISTRATION_ITEM = 'rungar-jitconfig';

const STATES: ReadonlyMap<string, MachineState> = new Map([
  ['PENDING', 'starting'],
  ['PROVISIONING', 'starting'],
  ['STAGING', 'starting'],
  ['RUNNING', 'running'],
  ['STOPPING', 'stopped'],
  ['STOPPED', 'stopped'],
  ['SUSPENDING', 'stopped'],
  ['SUSPENDED', 'stopped'],
  ['TERMINATED', 'stopped'],
  ['DEPROVISIONING', 'stopped'],
]);

/** An instance's place and number, which is never used again. Both together are a machine's id. */
export interface InstanceId {
  readonly zone: string;
  /** A 64-bit number, as text. */
  readonly number: string;
}

/** `ZONE/NUMBER`. */
export function formatInstanceId({ zone, number }: InstanceId): string {
  return `${zone}/${number}`;
}

export function parseInstanceId(id: string): InstanceId | undefined {
  const [, zone, number] = /^([a-z0-9-]+)\/([0-9]+)$/.exec(id) ?? [];
  return zone === undefined || number === undefined ? undefined : { zone, number };
}

/**
 * An instance as a machine; nothing when it does not hold labels of Rungar's. A status Compute Engine did not have
 * when this was written is `unknown`.
 */
export function toMachine(instance: RawInstance, zone: string): Machine | undefined {
  const labels = parseGcpMetadata(instance.metadata?.items?.find(({ key }) => key === LABELS_ITEM)?.value);
  if (labels === undefined) return undefined;
  const state = STATES.get(instance.status ?? '') ?? 'unknown';
  const createdAt = readTime(instance.creationTimestamp);
  return {
    name: instance.name ?? '',
    id: formatInstanceId({ zone, number: instance.id ?? '' }),
    labels,
    state,
    size: lastSegment(instance.machineType ?? ''),
    ...(createdAt !== undefined && { createdAt }),
    ...(state === 'stopped' && instance.statusMessage && { stateReason: instance.statusMessage }),
  };
}

/** An instant as Compute Engine writes it, in epoch milliseconds. */
export function readTime(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}
