import { dirname, join } from 'node:path';
import { type CallOptions, systemRandom } from '@rungar/model';
import { toExit } from '../read-settings.js';
import { isThere, replaceFile } from '../replace-file.js';
import { writeSchema } from '../schema-file.js';
import { writeNewFile } from '../write-new-file.js';
import { SCHEMA_FILE } from './draft.js';

/** For the daemon's user and its group: it names files with secrets, and holds none. */
const MODE = 0o640;

/**
 * Writes the configuration, at once or not at all, and the schema beside it where there is none.
 * @returns the files that were written
 * @throws ExitError 1 when that cannot be done, or when the configuration is there and `force` is not set
 */
export async function writeFirst(
  path: string,
  text: string,
  { force, signal }: CallOptions & { readonly force: boolean },
): Promise<readonly string[]> {
  const options = { random: systemRandom, signal };
  const written =
    force && (await isThere(path))
      ? replaceFile(path, text, options)
      : writeNewFile(path, text, { ...options, mode: MODE });
  await written.catch(toExit);
  const schema = join(dirname(path), SCHEMA_FILE);
  if (await isThere(schema)) return [path];
  await writeSchema(schema, { signal });
  return [path, schema];
}
