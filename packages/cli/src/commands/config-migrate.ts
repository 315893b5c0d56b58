import { migrateConfig, readConfigText } from '@rungar/config';
import { systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
import { plural } from '../output/words.js';
import { refusal, toExit } from '../read-settings.js';
import { replaceFile } from '../replace-file.js';

/** `rungar config migrate`: prints a configuration rewritten for the newest version, or writes it back. */
export async function migrateConfiguration(
  path: string,
  { write }: { readonly write: boolean },
  world: World,
): Promise<number> {
  const { signal, stdout, stderr } = world;
  const read = await readConfigText(path, { signal }).catch(toExit);
  if ('problem' in read) throw await refusal(path, [read.problem], stderr);
  const migrated = migrateConfig(read.text, { file: path, types: providerTypes });
  if (!('text' in migrated)) {
    if (migrated.refused === 'file') throw await refusal(path, errorsOf(migrated.problems), stderr);
    throw new ExitError(EXIT.failed, `${path} would not load once it is migrated, and stays as it is`, 'write it anew');
  }
  const { text, version, changes } = migrated;
  for (const change of changes) stderr.write(`Changed: ${path}: ${change}\n`);
  const nothing = `${path}: nothing to change, it is of version ${version}`;
  if (!write) {
    if (changes.length === 0) stderr.write(`${nothing}\n`);
    stdout.write(text);
    return EXIT.done;
  }
  if (changes.length === 0) {
    stdout.write(`${nothing}\n`);
    return EXIT.done;
  }
  await replaceFile(path, text, { random: systemRandom, signal }).catch(toExit);
  stdout.write(`${path}: migrated to version ${version} (${plural(changes.length, 'change')})\n`);
  return EXIT.done;
}

function errorsOf<T extends { readonly severity: 'error' | 'warning' }>(problems: readonly T[]): readonly T[] {
  return problems.filter(({ severity }) => severity === 'error');
}
