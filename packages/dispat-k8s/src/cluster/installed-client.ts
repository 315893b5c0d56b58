import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ClientImport } from './load-client.js';

const PACKAGE = '@kubernetes/client-node';

/** The client library as it is installed beside this package. */
export const installedClient: ClientImport = {
  load: () => import('@kubernetes/client-node'),
  async installedVersion() {
    try {
      const main = createRequire(import.meta.url).resolve(PACKAGE);
      return await versionAbove(dirname(main));
    } catch {
      return undefined;
    }
  },
};

/** The version in the package file of the folder or of one above it. */
async function versionAbove(folder: string): Promise<string | undefined> {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const text = await readFile(join(at, 'package.json'), 'utf8').catch(() => '{}');
    const { name, version } = JSON.parse(text);
    if (name === PACKAGE) return String(version);
  }
  return undefined;
}
