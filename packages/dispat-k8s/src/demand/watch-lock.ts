import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock, Random } from '@rungar/model';

/** The longest time between two polls, after errors, in milliseconds. */
export const LONGEST_INTERVAL_MS = 300_000;

/** How long a watcher's last sign counts: longer than the longest wait between two polls and what each may take. */
export function lockLifeMs(intervalMs: number): number {
  return 3 * Math.max(intervalMs, LONGEST_INTERVAL_MS);
}

/** Makes sure that one watcher acts at a time. */
export interface WatchLock {
  /** Takes or renews the lock; false while another watcher has it. */
  hold(signal: AbortSignal): Promise<boolean>;
  release(): Promise<void>;
}

export interface FileLockOptions {
  readonly file: string;
  /** How long a lock that is not renewed still counts, in milliseconds. */
  readonly staleAfterMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

interface Holder {
  readonly holder: string;
  /** By the wall clock, in epoch milliseconds. */
  readonly renewed: number;
}

/** A lock in a file, for watchers that share a folder. It has to be renewed: one left behind by a killed watcher runs out. */
export function fileLock({ file, staleAfterMs, clock, random }: FileLockOptions): WatchLock {
  const me = Buffer.from(random.bytes(16)).toString('hex');
  const mine = (): string => `${JSON.stringify({ holder: me, renewed: clock.wallNow() } satisfies Holder)}\n`;

  const next = `${file}.${me}`;

  async function replace(): Promise<void> {
    await writeFile(next, mine());
    await rename(next, file);
  }

  /** A lock appears with its holder in it: one that is still empty would look like none. */
  async function create(): Promise<boolean> {
    await writeFile(next, mine());
    try {
      await link(next, file);
      return true;
    } catch (error) {
      if (isExisting(error)) return false;
      throw error;
    } finally {
      await rm(next, { force: true });
    }
  }

  async function read(): Promise<Holder | undefined> {
    try {
      return holderOf(await readFile(file, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  return {
    async hold(signal) {
      signal.throwIfAborted();
      if (await create()) return true;
      const found = await read();
      const free = found === undefined || clock.wallNow() - found.renewed > staleAfterMs;
      if (!free && found.holder !== me) return false;
      await replace();
      return (await read())?.holder === me; // of two that took it over at once the later one has it
    },
    async release() {
      if ((await read())?.holder === me) await rm(file, { force: true });
    },
  };
}

/** What is no lock of a watcher counts as one that has run out. */
function holderOf(text: string): Holder {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'holder' in value && 'renewed' in value) {
      if (typeof value.holder === 'string' && typeof value.renewed === 'number')
        return { holder: value.holder, renewed: value.renewed };
    }
  } catch {
    // falls through: it is no lock
  }
  return { holder: '', renewed: 0 };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
