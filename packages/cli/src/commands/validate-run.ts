import { additionsIn, comparePlaces } from '@rungar/config';
import { type Problem, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import type { World } from '../command.js';
import { EXIT } from '../exit.js';
import { checkFile, refusal } from '../read-settings.js';
import { type Finding, type Report, reportJson, reportText, warningLines } from './validate-report.js';

/** What to check. */
export interface ValidateOptions {
  readonly path: string;
  /** Whether GitHub and the providers are asked too. */
  readonly online: boolean;
  /** Whether what the Go daemon does not know is an error. */
  readonly forGo: boolean;
}

/**
 * Checks a configuration file and tells what was found.
 * @returns 0 when it is fine, 2 when it says something wrong, 5 when somebody who was to be asked did not answer
 * @throws ExitError 1 when the file cannot be read
 */
export async function validate(options: ValidateOptions, form: 'json' | 'text', world: World): Promise<number> {
  const { path } = options;
  const { config, problems } = await checkFile(path, world);
  const inFile = [...problems.map(ofKind('file')), ...config.deprecations.map(ofKind('deprecation'))];
  const additions = options.forGo ? additionsIn(config.root, providerTypes).map(ofKind('addition')) : [];
  const online =
    options.online && config.settings !== undefined ? await askAll(config.settings, config.root, world) : [];
  const findings = [...inFile, ...additions, ...online].sort((a, b) => comparePlaces(a.place, b.place));
  const report: Report = { file: path, findings, root: config.root };
  const errors = findings.filter(({ severity }) => severity === 'error');
  const exit = findings.some(({ kind }) => kind === 'unreachable') ? EXIT.refused : EXIT.done;

  if (form === 'json') {
    world.stdout.write(reportJson(report));
    return errors.length > 0 ? EXIT.invalid : exit;
  }
  for (const line of warningLines(report)) world.stderr.write(`${line}\n`);
  if (errors.length > 0) throw await refusal(path, errors, world.stderr);
  world.stdout.write(reportText(report));
  return exit;
}

function ofKind(kind: Finding['kind']): (problem: Problem) => Finding {
  return (problem) => ({ ...problem, kind });
}

async function askAll(
  settings: Parameters<typeof import('./validate-online.js').askOnline>[0]['settings'],
  root: Report['root'],
  { env, signal }: World,
): Promise<readonly Finding[]> {
  const { askOnline } = await import('./validate-online.js');
  return askOnline({ settings, root, clock: systemClock, random: systemRandom, env, signal });
}
