import type { ChangeOptions, Clock, DeleteOutcome, Labels, Logger, MachineRef, Redactor } from '@rungar/model';
import type { Outstanding } from '../shared/outstanding.js';
import type { Pacer } from '../shared/pacer.js';
import { withinLimit } from '../shared/within-limit.js';
import type { ComputeEngine } from './client.js';
import { errorOfOperation, GceError, isNotFound, isPassing } from './errors.js';
import { type InstanceId, parseInstanceId, toMachine } from './machine.js';
import type { OperationWatcher } from './operations.js';
import { isOurs } from './ownership.js';
import type { RawOperation } from './wire.js';

/** What deleting a machine needs, shared by all deletions of one provider. */
export interface DeleteTools {
  readonly gce: ComputeEngine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Of calls that change something. */
  readonly pacer: Pacer;
  /** Of calls that only read. */
  readonly reads: Pacer;
  readonly operations: OperationWatcher;
  readonly outstanding: Outstanding;
  /** Every zone a machine of ours may be in. */
  zones(): readonly string[];
}

/** The most a deletion may take, its operation included. */
export const DELETE_LIMIT_MS = 300_000;

/**
 * Deletes a machine. An instance's number is never used again, so one that is known with labels of ours is proof
 * enough; without it the machine is looked up by its name, and a stranger of that name stays.
 * @throws GceError or RungarError when the machine may still be there
 */
export function deleteMachine(
  tools: DeleteTools,
  machine: MachineRef,
  selector: Labels,
  { signal, onAccepted }: ChangeOptions,
): Promise<DeleteOutcome> {
  const { id, name, labels } = machine;
  return withinLimit(tools.clock, DELETE_LIMIT_MS, `deleting ${name}`, signal, (limited) => {
    const known = id && labels && isOurs(labels, name, selector) ? parseInstanceId(id) : undefined;
    if (known) return deleteInstance(tools, known, limited, onAccepted);
    const look = (): Promise<DeleteOutcome> => deleteByName(tools, name, selector, tools.zones(), limited);
    return tools.outstanding.deleteOnceThere(name, look, limited);
  });
}

/**
 * Deletes the machines of that name in `zones` whose labels are of the selector; others are left alone. A zone that
 * cannot be asked keeps none of another.
 */
export async function deleteByName(
  tools: DeleteTools,
  name: string,
  selector: Labels,
  zones: readonly string[],
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const answers = await Promise.allSettled(zones.map((zone) => findByName(tools, zone, name, signal)));
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const silent = answers.find((answer) => answer.status === 'rejected');
  const ours = found.filter(({ labels }) => labels !== undefined && isOurs(labels, name, selector));
  const outcomes = await Promise.all(ours.map(({ id }) => deleteInstance(tools, id, signal)));
  if (silent) throw silent.reason;
  if (ours.length > 0) return outcomes.includes('deleted') ? 'deleted' : 'absent';
  if (found.length === 0) return 'absent';
  const instances = found.map(({ id }) => `${id.zone}/${id.number}`);
  tools.logger.warn('machine of that name is not ours, left alone', { machine: name, ids: instances });
  return 'stranger';
}

interface Found {
  readonly id: InstanceId;
  readonly labels: Labels | undefined;
}

async function findByName(
  { gce, reads }: DeleteTools,
  zone: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  try {
    const instance = await reads.run(() => gce.getInstance(zone, name, signal), signal);
    return [{ id: { zone, number: instance.id ?? '' }, labels: toMachine(instance, zone)?.labels }];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** @throws GceError when it may still be there */
async function deleteInstance(
  { gce, pacer, operations, redactor }: DeleteTools,
  { zone, number }: InstanceId,
  signal: AbortSignal,
  onAccepted: () => void = () => {},
): Promise<Extract<DeleteOutcome, 'deleted' | 'absent'>> {
  let begun: RawOperation;
  try {
    begun = await pacer.run(() => gce.deleteInstance(zone, number, signal), signal);
  } catch (error) {
    if (isNotFound(error)) return 'absent';
    throw asCall(error);
  }
  onAccepted();
  const done = await operations.wait(zone, begun, signal);
  const failure = errorOfOperation(done.error?.errors, redactor);
  if (failure === undefined) return 'deleted';
  if (isNotFound(failure)) return 'absent';
  throw asCall(failure);
}

/** What is wrong with the machine says nothing against the configuration: it is there and could not be deleted. */
function asCall(error: unknown): unknown {
  if (!(error instanceof GceError) || isPassing(error)) return error;
  return new GceError(error.code, error.message, 'other', error.status);
}
