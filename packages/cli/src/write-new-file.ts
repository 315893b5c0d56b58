import { link, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type CallOptions, messageOf, type Random, RungarError } from '@rungar/model';

export interface NewFileOptions extends CallOptions {
  readonly random: Random;
  /** Whatever the process's mask is. */
  readonly mode: number;
}

/**
 * Writes a file that is not there yet, at once or not at all: nobody sees a part of it, and what has that name in the
 * meantime is kept.
 * @throws RungarError `unavailable` when that cannot be done
 */
export async function writeNewFile(path: string, text: string, options: NewFileOptions): Promise<void> {
  const { random, mode, signal } = options;
  signal.throwIfAborted();
  const beside = join(dirname(path), `.${basename(path)}.${Buffer.from(random.bytes(6)).toString('hex')}`);
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.chmod(mode);
      await file.sync();
      await link(beside, path);
    } finally {
      await file.close();
      await unlink(beside);
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const hint =
      code === 'ENOENT' ? `Make the folder ${dirname(path)} first.` : 'Run it as a user who may write to its folder.';
    throw new RungarError('unavailable', `${path} cannot be written: ${messageOf(cause)}`, { cause, hint });
  }
}
