import { hostname } from 'node:os';
import { loadConfig } from '@rungar/config';
import { type Daemon, startDaemon } from '@rungar/daemon';
import { createRedactor, RungarError, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { processType } from './type.js';

/**
 * Starts a daemon that knows `type: process` beside the types of `@rungar/providers`.
 * @throws RungarError `invalid_argument` with everything that is wrong in the file
 */
export async function serve(file: string, signal: AbortSignal): Promise<Daemon> {
  const { settings, problems } = await loadConfig(file, { types: [...providerTypes, processType], signal });
  if (!settings) {
    const lines = problems.map(({ place, path, message }) => `${place.file}:${place.line} ${path} ${message}`);
    throw new RungarError('invalid_argument', lines.join('\n'));
  }
  return startDaemon({
    settings,
    warnings: problems,
    version: '0.0.0',
    commit: 'none',
    clock: systemClock,
    random: systemRandom,
    redactor: createRedactor(),
    stderr: process.stderr,
    host: {
      name: hostname(),
      nodeVersion: process.versions.node,
      umask: (mask) => process.umask(mask),
    },
    signal,
  });
}
