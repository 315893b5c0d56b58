import type { EventEmitter } from 'node:events';
import type { Output } from './command.js';
import { EXIT, StopRequest } from './exit.js';

/** The process's two streams out, as far as their errors go. */
export interface OutputStreams {
  readonly stdout: EventEmitter;
  readonly stderr: Output & EventEmitter;
}

/**
 * Does what is left when a stream cannot be written to. What runs always ends in order: a daemon has sessions.
 *
 * A reader that has seen enough, `head` say, is no failure, and neither is a log that nobody can keep: a daemon goes on
 * without one. A result that cannot be written, on a full disk say, is one, which is told once.
 * @param fail takes the exit code of a result that cannot be written
 */
export function onOutputErrors(
  { stdout, stderr }: OutputStreams,
  stop: AbortController,
  fail: (code: number) => void,
): void {
  let told = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      stop.abort(new StopRequest('reader'));
      return;
    }
    if (told) return;
    told = true;
    stderr.write(`Error: standard output cannot be written: ${error.message}. Write to another place.\n`);
    fail(EXIT.failed);
    stop.abort(new StopRequest('reader'));
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') stop.abort(new StopRequest('reader'));
  });
}
