import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type CallOptions, messageOf, type Random, RungarError } from '@rungar/model';

export interface ReplaceOptions extends CallOptions {
  readonly random: Random;
}

/**
 * Replaces what a file holds, at once or not at all: the new text is written beside it with the same mode and owner,
 * and put in its place. A symbolic link is followed, and stays.
 * @throws RungarError `unavailable` when that cannot be done; the file then is as it was
 */
export async function replaceFile(path: string, text: string, { random, signal }: ReplaceOptions): Promise<void> {
  signal.throwIfAborted();
  try {
    const target = await realpath(path);
    const suffix = Buffer.from(random.bytes(6)).toString('hex');
    const beside = join(dirname(target), `.${basename(target)}.${suffix}`);
    await writeLike(target, beside, text);
    await renameOrRemove(beside, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    const hint = 'Run it as a user who may write the file and its folder.';
    throw new RungarError('unavailable', `${path} cannot be replaced: ${messageOf(cause)}`, { cause, hint });
  }
}

/**
 * Whether something has that name, a link that leads nowhere included.
 * @throws RungarError `unavailable` when that cannot be told
 */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return false;
    const hint = 'Run it as a user who may read its folder.';
    throw new RungarError('unavailable', `${path} cannot be looked for: ${messageOf(cause)}`, { cause, hint });
  }
}

/** Writes a new file with the mode and the owner of another. */
async function writeLike(model: string, path: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(model);
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(text);
    await takeOwner(file, uid, gid);
    await file.chmod(mode & 0o7777);
    await file.sync();
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function takeOwner(file: FileHandle, uid: number, gid: number): Promise<void> {
  const now = await file.stat();
  if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid);
}

async function renameOrRemove(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    await unlink(from);
    throw error;
  }
}

/** Makes the new name last through a loss of power, where the system can. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
