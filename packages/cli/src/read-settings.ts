import type { Settings } from '@rungar/config';
import type { Problem } from '@rungar/model';
import type { World } from './command.js';
import { EXIT, ExitError } from './exit.js';
import { plural } from './output/words.js';

export interface ReadSettings {
  readonly settings: Settings;
  /** What the file is warned of: deprecations and the like. */
  readonly warnings: readonly Problem[];
  /** Those warnings in words for people, each without the word "Warning". */
  readonly warned: readonly string[];
}

/**
 * Reads a configuration file and the files it names; several errors are written to `stderr`, one line each.
 * @throws ExitError 1 when the file itself cannot be read, 2 when something in it is wrong
 */
export async function readSettings(path: string, { stderr, signal }: World): Promise<ReadSettings> {
  const [{ checkFiles, formatDeprecation, formatProblem, loadConfig }, { providerTypes }] = await Promise.all([
    import('@rungar/config'),
    import('@rungar/providers'),
  ]);
  const { settings, problems, deprecations, root } = await loadConfig(path, { types: providerTypes, signal }).catch(
    toExit,
  );
  const inFiles = settings ? await checkFiles(settings, { signal, root }) : [];
  const errors = [...problems.filter(({ severity }) => severity === 'error'), ...inFiles];
  if (settings && errors.length === 0) {
    const warnings = problems.filter(({ severity }) => severity === 'warning');
    const warned = [
      ...warnings.map(formatProblem),
      ...deprecations.map((deprecation) => `${path}: ${formatDeprecation(deprecation)}`),
    ];
    return { settings, warnings: [...warnings, ...deprecations], warned };
  }
  const [first] = errors;
  if (first && errors.length === 1) throw new ExitError(EXIT.invalid, formatProblem(first));
  for (const error of errors) stderr.write(`${formatProblem(error)}\n`);
  throw new ExitError(EXIT.invalid, `${path} has ${plural(errors.length, 'problem')}`);
}

function toExit(error: unknown): never {
  if (error instanceof Error && 'code' in error && (error.code === 'not_found' || error.code === 'unavailable')) {
    const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
    throw new ExitError(EXIT.failed, error.message, hint);
  }
  throw error;
}
