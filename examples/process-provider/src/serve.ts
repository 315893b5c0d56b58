import { hostname } from 'node:os';
import { checkFiles, formatProblem, loadConfig } from '@rungar/config';
import { type Daemon, startDaemon } from '@rungar/daemon';
import { createRedactor, RungarError, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { processType } from './type.js';

/**
 * Starts a daemon that knows `type: process` beside the types of `@rungar/providers`.
 * @throws RungarError `invalid_argument` with everything that is wrong in the file
 */
export async function serve(file: string, signal: AbortSignal): Promise<Daemon> {
  const config = await loadConfig(file, { types: [...providerTypes, processType], signal });
  const problems = [...config.problems, ...(await checkFiles(config, { signal }))];
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (!config.settings || errors.length > 0) {
    throw new RungarError('invalid_argument', errors.map((problem) => formatProblem(problem)).join('\n'));
  }
  return startDaemon({
    settings: config.settings,
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
