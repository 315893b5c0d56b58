import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LABEL_VALUES, LABELS } from '../pool.js';
import type { InputProblem } from '../problems.js';
import type { OutputFile } from './manifests.js';

const MANIFEST = /^[a-z]+-.*\.(?:yaml|json)$/;
const MADE_HERE = new RegExp(`${LABELS.managedBy.replaceAll('.', '\\.')}"?: "?${LABEL_VALUES.managedBy}"?`);

/**
 * Tells of the files that an earlier set left in a folder: manifests with this program's label that the new set does
 * not have. Kustomize does not read them any more; `kubectl apply -f` of the whole folder would. They may have been
 * edited since, so they are left to the user.
 */
export async function staleFiles(folder: string, set: readonly OutputFile[]): Promise<readonly InputProblem[]> {
  const own = new Set(set.map(({ name }) => name));
  const names = (await readdir(folder)).filter((name) => MANIFEST.test(name) && !own.has(name)).toSorted();
  const stale: string[] = [];
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    if (MADE_HERE.test(text)) stale.push(name);
  }
  if (stale.length === 0) return [];
  return [
    {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      at: folder,
      found: `${stale.join(', ')}, which an earlier set left and kustomization.yaml does not list`,
      allowed: 'the files of this set alone, where the whole folder is applied',
      fix: `delete ${stale.length === 1 ? 'it' : 'them'}`,
    },
  ];
}
