import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@rungar/model';
import type { World } from '../command.js';
import { type NamedText, readInput } from '../files.js';
import { inputError } from '../problems.js';

const MANIFEST = /\.(?:ya?ml|json)$/;
const MOST_FILES = 1000;

/**
 * Reads manifests: files, every YAML and JSON file below a folder, and standard input for `-`.
 * @param paths nothing reads standard input, unless that is a terminal
 * @throws InputError `CONFIG_NOT_READABLE`, `INPUT_TOO_LARGE`, or `OPTION_MISSING` when there is nothing to read
 */
export async function readManifests(paths: readonly string[], world: World): Promise<readonly NamedText[]> {
  if (paths.length === 0 && world.stdin.isTTY === true) {
    throw inputError({
      code: 'OPTION_MISSING',
      at: 'files',
      found: 'no manifest',
      allowed: 'files, folders, or standard input',
      fix: 'name the file with the pool, or pipe it in',
    });
  }
  const files = (await Promise.all((paths.length === 0 ? ['-'] : paths).map(filesAt))).flat();
  if (files.length > MOST_FILES) {
    throw inputError({
      code: 'INPUT_TOO_LARGE',
      at: 'files',
      found: `${files.length} files`,
      allowed: `at most ${MOST_FILES}`,
      fix: 'name the folder of the pool alone',
    });
  }
  const texts: NamedText[] = [];
  for (const file of files) texts.push(await readInput(file, world));
  return texts;
}

async function filesAt(path: string): Promise<readonly string[]> {
  if (path === '-' || !(await isFolder(path))) return [path];
  const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
    throw inputError({
      code: 'CONFIG_NOT_READABLE',
      at: path,
      found: messageOf(error),
      allowed: 'a folder this user may list',
      fix: 'name the files alone',
    });
  });
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    sorted.map(async (entry) => {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (entry.isDirectory()) return filesAt(join(path, entry.name));
      return MANIFEST.test(entry.name) ? [join(path, entry.name)] : [];
    }),
  );
  return found.flat();
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Reading it says what is wrong.
    return false;
  }
}
