import { asWritten, type Located, type Place, type Problem, type ProblemSink } from '@rungar/model';
import { addError } from './problem-list.js';

/** The only version of the format so far. */
const CURRENT_VERSION = 1;

/**
 * Checks `version`.
 * @param node nothing when the file has none
 * @returns what is deprecated about it
 */
export function checkVersion(node: Located | undefined, top: Place, problems: ProblemSink): Problem[] {
  if (node === undefined || (node.kind === 'scalar' && node.isNull)) {
    const message = `version is not set, and taken as ${CURRENT_VERSION}`;
    return [
      { severity: 'warning', place: top, path: '', message, hint: `add "version: ${CURRENT_VERSION}" at the top` },
    ];
  }
  const { place } = node;
  const path = 'version';
  if (node.kind !== 'scalar' || node.quoted || !/^(?:0|-?[1-9][0-9]*)$/.test(node.source)) {
    const not = node.kind === 'scalar' ? `, not ${asWritten(node)}` : '';
    addError(problems, { place, path, message: `must be a whole number${not}`, hint: `write ${CURRENT_VERSION}` });
    return [];
  }
  const { source: value } = node;
  const version = BigInt(value);
  if (version > CURRENT_VERSION) {
    const message = `is ${value}, newer than the ${CURRENT_VERSION} this release reads`;
    addError(problems, {
      place,
      path,
      value,
      message,
      hint: 'upgrade Rungar, or write the file for the known version',
    });
  } else if (version < CURRENT_VERSION) {
    const message = `is ${value}, older than anything this release reads`;
    addError(problems, { place, path, value, message, hint: 'migrate it with a release that reads both' });
  }
  return [];
}
