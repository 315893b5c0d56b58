import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RungarError } from '@rungar/model';

/** A running world, as another command finds it. */
export interface KnownWorld {
  readonly folder: string;
  /** Where the emulated GitHub listens. */
  readonly github: string;
}

/**
 * The user's own folder for emulated worlds, made if it is missing.
 * @throws RungarError when somebody else's folder stands in its place
 */
async function ownFolder(): Promise<string> {
  const { uid, username } = userInfo();
  const folder = join(tmpdir(), `rungar-dev-${uid >= 0 ? uid : username}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || (uid >= 0 && found.uid !== uid)) {
    throw new RungarError('invalid_argument', `"${folder}" is not a folder of your own`, {
      hint: 'remove it, or set TMPDIR to another folder',
    });
  }
  return folder;
}

export async function newWorldFolder(): Promise<string> {
  return mkdtemp(join(await ownFolder(), 'world-'));
}

/** What is noted of a world in its own folder, and of the one started last in the user's. */
const NOTE = 'world.json';

/** Notes that a world runs, for {@link knownWorld}. @returns what takes the notes away; one that a newer world has replaced stays */
export async function rememberWorld(world: KnownWorld): Promise<() => Promise<void>> {
  const files = [join(world.folder, NOTE), join(await ownFolder(), NOTE)];
  const text = `${JSON.stringify(world)}\n`;
  for (const file of files) await writeFile(file, text, { mode: 0o600 });
  return async () => {
    for (const file of files)
      if ((await readFile(file, 'utf8').catch(() => '')) === text) await rm(file, { force: true });
  };
}

/**
 * The world in `folder`, or without it the one that was started last.
 * @throws RungarError `not_found` when none runs there
 */
export async function knownWorld(folder?: string): Promise<KnownWorld> {
  const text = await readFile(join(folder ?? (await ownFolder()), NOTE), 'utf8').catch(() => '');
  const world = parseNote(text);
  if (!world) {
    throw new RungarError('not_found', `no emulated world is running${folder ? ` in ${folder}` : ''}`, {
      hint: 'start one with `rungar dev` in another terminal',
    });
  }
  return world;
}

/** A note that was cut short, or is none of ours, tells of no world. */
function parseNote(text: string): KnownWorld | undefined {
  try {
    const { folder, github } = JSON.parse(text) as Partial<KnownWorld>;
    return typeof folder === 'string' && typeof github === 'string' ? { folder, github } : undefined;
  } catch {
    return undefined;
  }
}
