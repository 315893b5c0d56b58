import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { Clock } from '@rungar/model';
import { StopRequest } from './exit.js';

/**
 * Whether somebody still reads from a pipe that is written to. Linux refuses to open one for writing that has no
 * reader; for anything else, and where that cannot be tried, the answer is yes.
 * @param fd the pipe's end for writing
 */
export function pipeHasReader(fd: number): boolean {
  try {
    if (!fstatSync(fd).isFIFO()) return true;
    closeSync(openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENXIO');
  }
}

/** How often a reader that has gone is looked for. */
const LOOK_MS = 500;

/** A signal that also aborts once nobody reads our output. Dispose of it when the work is done. */
export interface ReaderWatch extends Disposable {
  readonly signal: AbortSignal;
}

/** For work that may write nothing for long, and so would not notice a closed pipe. */
export function watchReader({
  signal,
  clock,
  hasReader,
}: {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  hasReader?(): boolean;
}): ReaderWatch {
  const gone = new AbortController();
  const done = new AbortController();
  const both = AbortSignal.any([signal, gone.signal]);
  const watch = async (): Promise<void> => {
    while (hasReader?.() === true && !done.signal.aborted) await clock.sleep(LOOK_MS, done.signal);
    if (hasReader !== undefined && !done.signal.aborted) gone.abort(new StopRequest('reader'));
  };
  watch().catch(() => {});
  return { signal: both, [Symbol.dispose]: () => done.abort('done') };
}
