import { LABEL } from '@rungar/labels';
import type { MachineRef } from '@rungar/model';
import type { Dicer } from './client.js';
import { findByName, unlessAbsent } from './delete.js';
import { DicerError } from './errors.js';

const LINES = 50;
const MOST_BYTES = 64 * 1024;

/**
 * The last lines a machine's guest wrote to its console, oldest first; nothing when the machine is gone, is not ours,
 * or the daemon keeps none.
 * @throws DicerError
 */
export async function readConsole(
  dicer: Dicer,
  { id, name }: MachineRef,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const known = id || (await ownIdOf(dicer, name, signal));
  if (known === undefined) return undefined;
  try {
    const text = await unlessAbsent(dicer.readLogs(known, LINES, MOST_BYTES, signal));
    return text && linesOf(text);
  } catch (error) {
    if (error instanceof DicerError && error.refusal === 'unsupported') return undefined;
    throw error;
  }
}

async function ownIdOf(dicer: Dicer, name: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await findByName(dicer, name, signal);
  return found?.labels[LABEL.runner] === name ? found.id : undefined;
}

function linesOf(text: Buffer): string[] {
  const lines = text.toString('utf8').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(-LINES);
}
