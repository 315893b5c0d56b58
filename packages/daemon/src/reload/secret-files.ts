import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * What stands in some files, to be compared with what stands in them later.
 * @returns a word that is another one when one of them is; it tells nothing of what they hold
 */
export async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = await readFile(path).catch(() => 'not readable');
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
