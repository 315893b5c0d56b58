import { stat } from 'node:fs/promises';
import { exposedSecretFiles, type Settings } from '@rungar/config';
import type { Logger } from '@rungar/model';

/** Warns of every file with secrets that other users of the host can read. It never refuses. */
export async function warnOfExposedFiles(settings: Settings, logger: Logger, signal: AbortSignal): Promise<void> {
  for (const file of await exposedSecretFiles(settings, { signal })) {
    const mode = await stat(file).then(
      (found) => `0${(found.mode & 0o7777).toString(8)}`,
      () => undefined,
    );
    logger.warn('Every user of this host can read a file with secrets', { file, mode, hint: `chmod o-r ${file}` });
  }
}
