import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, type Logger, messageOf, RungarError } from '@rungar/model';
import { makeFolder } from '../make-folder.js';

/** How many lines may wait for the disk. */
const QUEUE_LIMIT = 1024;

/** How long a rewrite that failed is left alone. */
const REWRITE_PAUSE_MS = 30_000;

export interface EventFileOptions {
  readonly path: string;
  /** Every line the file should hold now, oldest first. Asked whenever the file is written anew. */
  readonly lines: () => readonly string[];
  /** How many lines it may hold before it is written anew. Asked each time: it may change. */
  readonly maxLines: () => number;
  /** Told of every line that did not get into the file as it came. */
  readonly onDrop?: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The file that events are appended to. What it lacks for a while it gets with the next rewrite. */
export interface EventFile {
  /** Takes a line that {@link EventFileOptions.lines} holds already. Never waits and never throws. */
  append(line: string): void;
  /** Why the file lacks events for now. */
  readonly trouble: string | undefined;
  /** Writes what is missing, as far as the disk lets it. */
  close(): Promise<void>;
}

/**
 * Gives every line of an event file, making its folder (0750) first where there is none.
 * @throws RungarError `invalid_argument` when the path is no ordinary file or may not be read
 */
export async function* readEventFile(path: string): AsyncGenerator<string> {
  await makeFolder(dirname(path), 0o750).catch((error: unknown) => {
    throw unusable(path, error);
  });
  try {
    if (!(await stat(path)).isFile()) throw new RungarError('invalid_argument', `${path} is not an ordinary file`);
    const file = await open(path, 'r');
    yield* file.readLines();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw unusable(path, error);
  }
}

/**
 * Writes the file anew and opens it for appending.
 * @throws RungarError `invalid_argument` when it may not be written at all. A full disk is not that: events then
 * stay in memory until there is room.
 */
export async function openEventFile(options: EventFileOptions): Promise<EventFile> {
  const { path, clock, logger } = options;
  const closing = new AbortController();
  let handle: FileHandle | undefined;
  let linesInFile = 0;
  let queue: string[] = [];
  /** Whether the file and the queue together hold every line. If not, only a rewrite helps. */
  let complete = true;
  let trouble: string | undefined;
  let nextRewriteAt = clock.now();
  let working: Promise<void> | undefined;

  const noteTrouble = (error: unknown): void => {
    const reason = messageOf(error);
    if (trouble === undefined) logger.warn('Events are kept in memory only for now', { file: path, error: reason });
    else logger.debug('The event file still cannot be written', { file: path, error: reason });
    trouble = reason;
  };

  const appendQueue = async (file: FileHandle): Promise<void> => {
    const batch = queue;
    queue = [];
    try {
      await file.appendFile(batch.map((line) => `${line}\n`).join(''));
      linesInFile += batch.length;
    } catch (error) {
      complete = false;
      noteTrouble(error);
    }
  };

  const rewrite = async (): Promise<void> => {
    const lines = options.lines();
    const wasComplete = complete;
    // What is recorded from here on is not among `lines`: it goes through the queue.
    queue = [];
    complete = true;
    try {
      const next = await writeBeside(path, lines);
      await handle?.close().catch(() => {});
      handle = next;
      linesInFile = lines.length;
      if (trouble !== undefined) logger.info('The event file is complete again', { file: path });
      trouble = undefined;
    } catch (error) {
      // An old file that lacked nothing is still good for appending.
      complete &&= wasComplete && handle !== undefined;
      nextRewriteAt = clock.now() + REWRITE_PAUSE_MS;
      noteTrouble(error);
      throw error;
    }
  };

  const pauseUntil = async (instant: number): Promise<void> => {
    const ms = instant - clock.now();
    if (ms > 0) await clock.sleep(ms, closing.signal).catch(() => {});
  };

  const work = async (): Promise<void> => {
    for (;;) {
      if (complete && handle && queue.length > 0) await appendQueue(handle);
      else if (!complete) {
        await pauseUntil(nextRewriteAt);
        await rewrite().catch(() => {});
        if (closing.signal.aborted) return;
      } else if (linesInFile > options.maxLines() && clock.now() >= nextRewriteAt) await rewrite().catch(() => {});
      else return;
    }
  };

  const start = (): void => {
    working ??= work().finally(() => {
      working = undefined;
      // A line may have come after the last look at the queue, and before this.
      if (complete && handle && queue.length > 0) start();
    });
  };

  try {
    await rewrite();
  } catch (error) {
    if (isRefusal(error)) throw unusable(path, error);
    start();
  }

  return {
    append(line) {
      if (closing.signal.aborted) return;
      if (!complete) return options.onDrop?.();
      if (queue.length < QUEUE_LIMIT) queue.push(line);
      else {
        complete = false;
        options.onDrop?.();
        logger.warn('The disk is slower than the events: some are left out of the file until it is rewritten', {
          file: path,
        });
      }
      start();
    },
    get trouble() {
      return trouble;
    },
    async close() {
      closing.abort();
      while (working) await working;
      await handle?.close().catch(() => {});
      handle = undefined;
    },
  };
}

/** Writes a new file next to `path` and puts it in its place, so that a reader sees the old one or the new one. */
async function writeBeside(path: string, lines: readonly string[]): Promise<FileHandle> {
  const beside = `${path}.new`;
  await rm(beside, { force: true });
  const file = await open(beside, 'ax', 0o600);
  try {
    await file.appendFile(lines.map((line) => `${line}\n`).join(''));
    await file.sync();
    await rename(beside, path);
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
}

/** What no waiting cures. */
const REFUSALS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG']);

function isRefusal(error: unknown): boolean {
  return REFUSALS.has(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function unusable(path: string, error: unknown): RungarError {
  return new RungarError('invalid_argument', `events cannot be kept in ${path}: ${messageOf(error)}`, {
    hint: "Let the daemon's user write there, or set events.file to another place.",
    cause: error,
  });
}
