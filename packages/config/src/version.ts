import { asWritten, type Located, type Place, type Problem, type ProblemSink } from '@rungar/model';
import type { Format } from './format/format.js';
import { addError } from './problem-list.js';

const OLD_HINT = 'migrate it with a release that reads both';

/** The version a file is of, or is taken to be of, and what is deprecated about that. */
export interface DeclaredVersion {
  readonly version: number;
  readonly deprecations: readonly Problem[];
}

/**
 * Checks `version`.
 * @param node nothing when the file has none
 */
export function checkVersion(
  node: Located | undefined,
  top: Place,
  { current, oldest }: Omit<Format, 'migrations'>,
  problems: ProblemSink,
): DeclaredVersion {
  const fine: DeclaredVersion = { version: current, deprecations: [] };
  if (node === undefined || (node.kind === 'scalar' && node.isNull)) {
    const message = `version is not set, and taken as 1`;
    if (oldest > 1) {
      addError(problems, { place: top, path: 'version', message, hint: OLD_HINT });
      return fine;
    }
    const hint = `add "version: ${current}" at the top`;
    return { version: 1, deprecations: [{ severity: 'warning', place: top, path: '', message, hint }] };
  }
  const { place } = node;
  const path = 'version';
  if (node.kind !== 'scalar' || node.quoted || !/^(?:0|-?[1-9][0-9]*)$/.test(node.source)) {
    const not = node.kind === 'scalar' ? `, not ${asWritten(node)}` : '';
    addError(problems, { place, path, message: `must be a whole number${not}`, hint: `write ${current}` });
    return fine;
  }
  const { source: value } = node;
  const version = BigInt(value);
  if (version > current) {
    const message = `is ${value}, newer than the ${current} this release reads`;
    addError(problems, {
      place,
      path,
      value,
      message,
      hint: 'upgrade Rungar, or write the file for the known version',
    });
    return fine;
  }
  if (version < oldest) {
    const message = `is ${value}, older than anything this release reads`;
    addError(problems, { place, path, value, message, hint: OLD_HINT });
    return fine;
  }
  if (version === BigInt(current)) return fine;
  const message = `version is ${value}, and the newest is ${current}`;
  const deprecation: Problem = { severity: 'warning', place, path, message, hint: 'run `rungar config migrate`' };
  return { version: Number(version), deprecations: [deprecation] };
}
