import { configSchema } from '@rungar/config';
import { type CallOptions, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { toExit } from './read-settings.js';
import { isThere, replaceFile } from './replace-file.js';
import { writeNewFile } from './write-new-file.js';

/** The JSON Schema of a configuration, as a file holds it. */
export function schemaText(): string {
  return `${JSON.stringify(configSchema(providerTypes), null, 2)}\n`;
}

/**
 * Writes the schema to a file, in place of what is there.
 * @throws ExitError 1 when that cannot be done
 */
export async function writeSchema(path: string, { signal }: CallOptions): Promise<void> {
  const options = { random: systemRandom, signal };
  const written = (await isThere(path))
    ? replaceFile(path, schemaText(), options)
    : writeNewFile(path, schemaText(), { ...options, mode: 0o644 });
  await written.catch(toExit);
}
