import type { CheckedConfig } from '@rungar/config';
import type { World } from './command.js';
import { type Finding, warningLines } from './commands/validate-report.js';
import { refusal, toExit } from './read-settings.js';

/**
 * Reads a configuration file, and none of the files it names. What it is warned of goes to `stderr`, and so do several
 * errors, one line each.
 * @throws ExitError 1 when the file cannot be read, 2 when something in it is wrong
 */
export async function readConfig(path: string, world: World): Promise<CheckedConfig> {
  const [{ loadConfig }, { providerTypes }] = await Promise.all([
    import('@rungar/config'),
    import('@rungar/providers'),
  ]);
  const config = await loadConfig(path, { types: providerTypes, signal: world.signal }).catch(toExit);
  const { settings, root } = config;
  if (settings === undefined) {
    const errors = config.problems.filter(({ severity }) => severity === 'error');
    throw await refusal(path, errors, world.stderr);
  }
  const findings = [
    ...config.problems.map((problem): Finding => ({ ...problem, kind: 'file' })),
    ...config.deprecations.map((problem): Finding => ({ ...problem, kind: 'deprecation' })),
  ];
  for (const line of warningLines({ file: path, findings, root })) world.stderr.write(`${line}\n`);
  return { settings, root };
}
