import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { messageOf } from '@rungar/model';
import type { Args, World } from '../command.js';
import { inputError } from '../problems.js';

/** Where lines go as they come. */
export interface LineOutput extends AsyncDisposable {
  write(text: string): void;
}

/**
 * Opens what `--output` names.
 * @throws InputError `OUTPUT_NOT_WRITABLE`
 */
export async function openOutput({ output }: Args, { stdout }: World): Promise<LineOutput> {
  if (output === undefined || output === '-') {
    return { write: (text) => void stdout.write(text), [Symbol.asyncDispose]: async () => {} };
  }
  const file = String(output);
  const stream = createWriteStream(file);
  try {
    await once(stream, 'open');
  } catch (error) {
    throw inputError({
      code: 'OUTPUT_NOT_WRITABLE',
      at: file,
      found: messageOf(error),
      allowed: 'a file this user may write',
      fix: 'name a file in an existing folder',
    });
  }
  return {
    write: (text) => void stream.write(text),
    async [Symbol.asyncDispose]() {
      stream.end();
      await once(stream, 'close');
    },
  };
}
