import { readFile } from 'node:fs/promises';
import { messageOf, RungarError } from '@rungar/model';
import type { World } from '../command.js';

/**
 * The text of a file, or of standard input where `file` is `-`.
 * @throws RungarError `invalid_argument` when it cannot be read; the signal's reason when that aborts
 */
export async function readInput(file: string, { stdin, signal }: Pick<World, 'stdin' | 'signal'>): Promise<string> {
  if (file === '-') return readAll(stdin, signal);
  try {
    return await readFile(file, { encoding: 'utf8', signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new RungarError('invalid_argument', `cannot read ${JSON.stringify(file)}: ${reasonOf(error)}`, {
      cause: error,
      hint: 'name a file that can be read, or - for standard input',
    });
  }
}

async function readAll(stdin: World['stdin'], signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // Nothing else wakes a read that waits for a terminal.
  const stop = (): void => {
    if ('destroy' in stdin && typeof stdin.destroy === 'function') stdin.destroy(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    signal.throwIfAborted();
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return messageOf(error);
}
