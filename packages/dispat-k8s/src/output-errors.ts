import type { EventEmitter } from 'node:events';
import type { Output } from './command.js';
import { EXIT, StopRequest } from './exit.js';
import { problemLine } from './problems.js';

/** The process's two streams out, as far as their errors go. */
export interface OutputStreams {
  readonly stdout: Output & EventEmitter;
  readonly stderr: Output & EventEmitter;
}

/**
 * Does what is left when a stream cannot be written to. A reader that has seen enough, `head` say, ends the command as
 * an interruption does: what was decided before, a check's finding say, still stands in the exit code. Anything else,
 * a full disk say, is a file that cannot be written.
 * @param exit ends the process at once
 */
export function onOutputErrors(
  { stdout, stderr }: OutputStreams,
  stop: AbortController,
  exit: (code: number) => void,
): void {
  for (const [name, stream] of [
    ['standard output', stdout],
    ['standard error', stderr],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        stop.abort(new StopRequest('SIGPIPE'));
        return;
      }
      if (stream === stdout) {
        const problem = {
          code: 'OUTPUT_NOT_WRITABLE',
          severity: 'error',
          at: name,
          found: error.message,
          allowed: 'a place with room for the result',
          fix: 'write to another place, or name a file with --output',
        } as const;
        stderr.write(`Error: ${problemLine(problem)}\n`);
      }
      exit(EXIT.noAccess);
    });
  }
}
