import { LABEL, matchesSelector } from '@rungar/labels';
import type { DeleteOutcome, Labels, Logger, MachineRef } from '@rungar/model';
import type { Outstanding } from '../shared/outstanding.js';
import type { Dicer } from './client.js';
import { DicerError } from './errors.js';
import type { DicerInstance } from './machine.js';

/** What deleting a machine needs, shared by all deletions of one provider. */
export interface DeleteTools {
  readonly dicer: Dicer;
  readonly logger: Logger;
  readonly outstanding: Outstanding;
}

/**
 * Deletes a machine, running or not. An instance's ID is never used again, so one that is known with labels of ours is
 * proof enough; without it the instance is looked up by its name, and a stranger of that name stays.
 * @throws DicerError when the machine may still be there
 */
export function deleteMachine(
  tools: DeleteTools,
  machine: MachineRef,
  selector: Labels,
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const { id, name, labels } = machine;
  if (id && labels && isOurs(labels, name, selector)) return deleteById(tools.dicer, id, signal);
  return tools.outstanding.deleteOnceThere(name, () => deleteByName(tools, name, selector, signal), signal);
}

async function deleteByName(
  { dicer, logger }: DeleteTools,
  name: string,
  selector: Labels,
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const found = await findByName(dicer, name, signal);
  if (!found) return 'absent';
  if (isOurs(found.labels, name, selector)) return deleteById(dicer, found.id, signal);
  logger.warn('machine of that name is not ours, left alone', { machine: name, id: found.id });
  return 'stranger';
}

/** The instance of that name; the daemon would also take an ID for one. */
export async function findByName(dicer: Dicer, name: string, signal: AbortSignal): Promise<DicerInstance | undefined> {
  const found = await unlessAbsent(dicer.getInstance(name, signal));
  return found?.name === name ? found : undefined;
}

function isOurs(labels: Labels, name: string, selector: Labels): boolean {
  return labels[LABEL.runner] === name && matchesSelector(labels, selector);
}

async function deleteById(dicer: Dicer, id: string, signal: AbortSignal): Promise<DeleteOutcome> {
  const deleted = await unlessAbsent(dicer.deleteInstance(id, signal).then((): DeleteOutcome => 'deleted'));
  return deleted ?? 'absent';
}

/** What a call gives, or nothing when what it names is not there. */
export async function unlessAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DicerError && error.refusal === 'absent') return undefined;
    throw error;
  }
}
