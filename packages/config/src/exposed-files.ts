import { stat } from 'node:fs/promises';
import type { CallOptions } from '@rungar/model';
import type { Settings } from './settings.js';

/** Read permission for everybody. */
const OTHERS_MAY_READ = 0o004;

/**
 * The files with secrets that every user of the host can read: those the configuration names, and the configuration
 * file itself if a secret stands in it. A file that is not there is nobody's to read.
 */
export async function exposedSecretFiles(settings: Settings, { signal }: CallOptions): Promise<readonly string[]> {
  const { credentials } = settings.github;
  const named = credentials.kind === 'app' ? credentials.privateKeyPath : credentials.tokenPath;
  const paths = new Set([
    ...(named === undefined ? [] : [named]),
    ...settings.providers.flatMap((provider) => provider.configured.secretFiles),
    ...(settings.holdsSecrets ? [settings.file] : []),
  ]);
  const exposed: string[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && (found.mode & OTHERS_MAY_READ) !== 0) exposed.push(path);
  }
  return exposed;
}
