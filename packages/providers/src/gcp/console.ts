import type { MachineRef } from '@rungar/model';
import type { ComputeEngine } from './client.js';
import { isNotFound } from './errors.js';
import { parseInstanceId } from './machine.js';

/** How many lines of a console are shown. */
const MOST_LINES = 50;

/** The last lines a machine wrote to its first serial port; nothing when it is not there, or is not known by its id. */
export async function readConsole(
  gce: Pick<ComputeEngine, 'serialPortOutput'>,
  machine: MachineRef,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const id = parseInstanceId(machine.id ?? '');
  if (id === undefined) return undefined;
  try {
    const text = await gce.serialPortOutput(id.zone, id.number, signal);
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    return lines.slice(-MOST_LINES);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
