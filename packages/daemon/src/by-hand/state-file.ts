import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Logger, messageOf, RungarError } from '@rungar/model';
import { makeFolder } from '../make-folder.js';

/** What is said of a pause or a disabling. */
export interface Note {
  /** Why, for people. */
  readonly reason?: string;
  /** When it ends by itself, in epoch milliseconds of the wall clock. */
  readonly until?: number;
}

/** What stays over a restart, by name. */
export interface KeptState {
  readonly paused: Readonly<Record<string, Note>>;
  readonly disabled: Readonly<Record<string, Note>>;
}

const NOTHING: KeptState = { paused: {}, disabled: {} };

/** Where the state is: in the first folder systemd gives the service for that, else at the usual place. */
export function stateFilePath(env: Readonly<Record<string, string | undefined>>): string {
  const [folder = ''] = (env.STATE_DIRECTORY ?? '').split(':');
  return join(folder === '' ? '/var/lib/rungar' : folder, 'state.json');
}

/** Reads the state. A file that is not there, or is damaged, is an empty one: nothing but pauses depends on it. */
export async function readState(path: string, logger: Logger): Promise<KeptState> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      logger.warn('What was paused or disabled before cannot be read', { file: path, error });
    return NOTHING;
  }
  try {
    return parseState(text);
  } catch (error) {
    logger.warn('What was paused or disabled before is damaged and not used', { file: path, error });
    return NOTHING;
  }
}

/** What a state file says. @throws SyntaxError or TypeError for a damaged one */
export function parseState(text: string): KeptState {
  const state: unknown = JSON.parse(text);
  return { paused: notesIn(state, 'paused'), disabled: notesIn(state, 'disabled') };
}

function notesIn(state: unknown, key: string): Record<string, Note> {
  const entries = Object.entries(asObject(asObject(state)[key] ?? {}));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const { reason, until } = asObject(value);
      const end = typeof until === 'string' ? Date.parse(until) : Number.NaN;
      if (until !== undefined && Number.isNaN(end)) throw new TypeError(`"until" of ${name} is no instant`);
      return [
        name,
        { ...(typeof reason === 'string' && { reason }), ...(Number.isFinite(end) && { until: end }) },
      ] as const;
    }),
  );
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('it is no object');
  return value as Record<string, unknown>;
}

/**
 * Puts a new state in place of the old one: whoever reads sees the one or the other. Mode 0600; its folder is made
 * (0750) where there is none.
 * @throws RungarError `unavailable` when it cannot be written
 */
export async function writeState(path: string, { paused, disabled }: KeptState): Promise<void> {
  const text = `${JSON.stringify({ version: 1, paused: written(paused), disabled: written(disabled) }, null, 2)}\n`;
  const beside = `${path}.new`;
  try {
    await makeFolder(dirname(path), 0o750);
    await rm(beside, { force: true });
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    throw new RungarError('unavailable', `this cannot be kept in ${path}: ${messageOf(error)}`, {
      hint: 'Nothing has changed. Let the daemon write there, or leave out --keep.',
      cause: error,
    });
  }
}

function written(notes: Readonly<Record<string, Note>>): unknown {
  return Object.fromEntries(
    Object.entries(notes).map(([name, { reason, until }]) => [
      name,
      { reason, ...(until !== undefined && { until: new Date(until).toISOString() }) },
    ]),
  );
}
