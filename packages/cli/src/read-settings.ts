import type { ParsedConfig, Settings } from '@rungar/config';
import type { Problem } from '@rungar/model';
import type { World } from './command.js';
import { EXIT, ExitError } from './exit.js';
import { plural } from './output/words.js';

/** A configuration file, with all that is to be said of it. */
export interface CheckedFile {
  readonly config: ParsedConfig;
  /** Errors and warnings of the file and of the files it names, in the order of their places. */
  readonly problems: readonly Problem[];
}

/**
 * Reads a configuration file and the files it names.
 * @throws ExitError 1 when the file itself cannot be read
 */
export async function checkFile(path: string, { signal }: Pick<World, 'signal'>): Promise<CheckedFile> {
  const [{ checkFiles, comparePlaces, loadConfig }, { providerTypes }] = await Promise.all([
    import('@rungar/config'),
    import('@rungar/providers'),
  ]);
  const config = await loadConfig(path, { types: providerTypes, signal }).catch(toExit);
  const inFiles = await checkFiles(config, { signal });
  return { config, problems: [...config.problems, ...inFiles].sort((a, b) => comparePlaces(a.place, b.place)) };
}

export interface ReadSettings {
  readonly settings: Settings;
  /** The file as written. */
  readonly root: ParsedConfig['root'];
  /** What the file is warned of: deprecations and the like. */
  readonly warnings: readonly Problem[];
}

/**
 * {@link checkFile}, for whoever can do nothing with a file that says something wrong; several errors are written to
 * `stderr`, one line each.
 * @throws ExitError 1 when the file itself cannot be read, 2 when something in it is wrong
 */
export async function readSettings(path: string, { stderr, signal }: World): Promise<ReadSettings> {
  const { config, problems } = await checkFile(path, { signal });
  const errors = problems.filter(({ severity }) => severity === 'error');
  const { settings, deprecations, root } = config;
  if (settings === undefined || errors.length > 0) throw await refusal(path, errors, stderr);
  return { settings, root, warnings: [...problems, ...deprecations] };
}

/** The end of a command that a file's errors forbid: the one error, or their number after a line for each. */
export async function refusal(path: string, errors: readonly Problem[], stderr: World['stderr']): Promise<ExitError> {
  const { formatProblem } = await import('@rungar/config');
  const [first] = errors;
  if (first && errors.length === 1) return new ExitError(EXIT.invalid, formatProblem(first));
  for (const error of errors) stderr.write(`${formatProblem(error)}\n`);
  return new ExitError(EXIT.invalid, `${path} has ${plural(errors.length, 'problem')}`);
}

/** @throws ExitError 1 for a file that is not there or cannot be read, and `error` itself for anything else */
export function toExit(error: unknown): never {
  if (error instanceof Error && 'code' in error && (error.code === 'not_found' || error.code === 'unavailable')) {
    const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
    throw new ExitError(EXIT.failed, error.message, hint);
  }
  throw error;
}
