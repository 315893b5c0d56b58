import { constants } from 'node:fs';
import { access, chmod, link, lstat, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, systemRandom } from '@rungar/model';
import { inputError } from './problems.js';

/** A text and where it goes. */
export interface FileToWrite {
  readonly file: string;
  readonly text: string;
  /** Leaves a file alone that exists already. */
  readonly isNew?: boolean;
}

/**
 * Writes files, all of them or none: each is written beside its place and then takes it, so that whoever reads it finds
 * the old text or the new one whole, whatever ends the program. A link stays, and what it leads to is replaced. Pipes
 * and devices, and files that cannot be replaced, are written as they are.
 * @throws InputError `OUTPUT_NOT_WRITABLE`, or `OPTIONS_CONFLICT` for two texts in one place
 */
export async function writeFiles(files: readonly FileToWrite[]): Promise<void> {
  const prepared: Prepared[] = [];
  try {
    for (const file of files) prepared.push(await orRefuse(file, () => prepare(file)));
    refuseSamePlace(prepared);
    for (const each of prepared)
      if (each.beside === undefined) await orRefuse(each, () => writeFile(each.file, each.text));
    for (const each of prepared) await orRefuse(each, () => take(each));
  } finally {
    for (const { beside } of prepared) if (beside !== undefined) await rm(beside, { force: true });
  }
}

interface Prepared extends FileToWrite {
  /** Where the text ends up: the end of all links. */
  readonly place: string;
  /** The file beside it that has the whole text; nothing where it is written directly. */
  readonly beside: string | undefined;
}

async function prepare(wanted: FileToWrite): Promise<Prepared> {
  const { file, text, isNew = false } = wanted;
  const { place, mode, isDirect } = isNew
    ? { place: resolve(file), mode: undefined, isDirect: false }
    : await placeOf(file);
  if (isDirect) return { ...wanted, place, beside: undefined };
  if (mode !== undefined) await access(place, constants.W_OK);
  const beside = join(dirname(place), `.dispat-${Buffer.from(systemRandom.bytes(8)).toString('hex')}`);
  try {
    await writeFile(beside, text, { flag: 'wx' });
    if (mode !== undefined) await chmod(beside, mode);
  } catch (error) {
    await rm(beside, { force: true });
    // The file may be written and its folder not: a file mounted by itself, say.
    if (mode !== undefined && isRefusedByFolder(error)) return { ...wanted, place, beside: undefined };
    throw error;
  }
  return { ...wanted, place, beside };
}

async function take({ beside, place, text, isNew = false }: Prepared): Promise<void> {
  if (beside === undefined) return;
  try {
    await (isNew ? link(beside, place) : rename(beside, place));
  } catch (error) {
    // Some file systems have no links, and a file mounted by itself cannot be replaced.
    if (!isRefusedByFolder(error)) throw error;
    await writeFile(place, text, { flag: isNew ? 'wx' : 'w' });
  }
}

interface Place {
  readonly place: string;
  /** Of the file that is there. */
  readonly mode: number | undefined;
  readonly isDirect: boolean;
}

const MOST_LINKS = 40;

/** Follows links to where a text ends up. The process's own descriptors are written to, whatever they stand for. */
async function placeOf(file: string): Promise<Place> {
  let place = resolve(file);
  for (let links = 0; links < MOST_LINKS && !/^\/(?:dev|proc)\//.test(place); links++) {
    const found = await lstat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return { place, mode: undefined, isDirect: false };
    if (!found.isSymbolicLink()) return { place, mode: found.mode & 0o7777, isDirect: !found.isFile() };
    place = resolve(dirname(place), await readlink(place));
  }
  return { place, mode: undefined, isDirect: true };
}

const BY_FOLDER: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV', 'ENOTSUP', 'ENOSYS']);

function isRefusedByFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BY_FOLDER.has(error.code);
}

function refuseSamePlace(prepared: readonly Prepared[]): void {
  const seen = new Map<string, string>();
  for (const { file, place, beside } of prepared) {
    const other = seen.get(place);
    if (other !== undefined && beside !== undefined) {
      throw inputError({
        code: 'OPTIONS_CONFLICT',
        at: file,
        found: `the place of ${other === file ? 'another result' : other}`,
        allowed: 'a place of its own for each result',
        fix: 'name another file',
      });
    }
    seen.set(place, file);
  }
}

async function orRefuse<Result>({ file, isNew }: FileToWrite, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw inputError({
      code: 'OUTPUT_NOT_WRITABLE',
      at: file,
      // The system's words end with a path, which may be that of the file beside.
      found: messageOf(error).replace(/, [a-z]+ '.*$/s, ''),
      allowed: isNew ? 'a file that does not exist yet' : 'a file this user may write',
      fix: isNew ? 'name another file, or replace it with --force' : 'name a file in an existing folder',
    });
  }
}
