import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { type Clock, type Logger, messageOf, type Redactor, RungarError } from '@rungar/model';
import type { Recorder } from '@rungar/reconciler';

/** A file that has grown to this is put aside under the name with `.1`, in place of the one before. */
const FILE_LIMIT = 64 * 1024 * 1024;
/** Lines that wait for the disk: what comes beyond that is left out, and said to be. */
const QUEUE_LIMIT = 8 * 1024 * 1024;
/** How long a disk that refused is left alone. */
const PAUSE_MS = 30_000;

export interface RecordingOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Bytes; 64 MiB unless given. */
  readonly fileLimit?: number;
  /** Bytes; 8 MiB unless given. */
  readonly queueLimit?: number;
}

export interface Recording extends Recorder {
  /** Writes what waits, as far as the disk lets it. */
  close(): Promise<void>;
}

/**
 * Opens a recording for appending, mode 0600. Recording never waits for the disk: what it cannot take is left out, and
 * a line `gap` says how much.
 * @throws RungarError `invalid_argument` when the file cannot be written at all
 */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const { path, clock, redactor, logger, fileLimit = FILE_LIMIT, queueLimit = QUEUE_LIMIT } = options;
  let file: FileHandle | undefined = await openToAppend(path);
  let size = (await file.stat()).size;
  let queue: string[] = [];
  let queued = 0;
  let left = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const rotate = async (): Promise<void> => {
    await file?.close();
    file = undefined;
    await rename(path, `${path}.1`);
    file = await openToAppend(path);
    size = 0;
  };

  const write = async (): Promise<void> => {
    while (queue.length > 0) {
      const gap = left > 0 ? [JSON.stringify({ v: 1, kind: 'gap', left })] : [];
      const lines = [...gap, ...queue];
      queue = [];
      queued = 0;
      left = 0;
      try {
        if (size >= fileLimit) await rotate();
        file ??= await openToAppend(path);
        const text = lines.map((line) => `${line}\n`).join('');
        await file.appendFile(text);
        size += Buffer.byteLength(text);
      } catch (error) {
        left += lines.length;
        pausedUntil = clock.now() + PAUSE_MS;
        logger.warn('Decisions are not recorded for now', { file: path, error: messageOf(error) });
        return;
      }
    }
  };

  const start = (): void => {
    working ??= write().finally(() => {
      working = undefined;
      if (queue.length > 0) start();
    });
  };

  return {
    record(line) {
      if (clock.now() < pausedUntil || queued + line.length > queueLimit) {
        left++;
        return;
      }
      queue.push(redactor.redact(line));
      queued += line.length;
      start();
    },
    async close() {
      while (working) await working;
      await file?.close().catch(() => {});
      file = undefined;
    },
  };
}

async function openToAppend(path: string): Promise<FileHandle> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile()) throw new Error('it is no ordinary file');
    return await open(path, 'a', 0o600);
  } catch (error) {
    throw new RungarError('invalid_argument', `decisions cannot be recorded in ${path}: ${messageOf(error)}`, {
      hint: "let the daemon's user write there, or name another file with --record",
      cause: error,
    });
  }
}
