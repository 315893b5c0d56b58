import type { Field, Located, LocatedMap, Problem, ProblemSink } from '@rungar/model';
import { asWritten, entryOf, memberPath, UNKNOWN_KEY } from '@rungar/model';
import type { ProblemCode, ProblemList } from '../problems.js';
import type { Written } from './configuration.js';

/** Reads one key of a mapping; a null is the same as none. */
export function readKey<T>(
  map: LocatedMap | undefined,
  key: string,
  field: Field<T>,
  path: string,
  problems: ProblemSink,
): Written<T> | undefined {
  const node = nodeAt(map, key);
  if (node === undefined) return undefined;
  const value = field.read(node, memberPath(path, key), problems);
  return value === undefined || field.isUnset(value) ? undefined : { value, place: node.place };
}

/** The value of a key, unless it is null. */
export function nodeAt(map: LocatedMap | undefined, key: string): Located | undefined {
  const node = map === undefined ? undefined : entryOf(map, key)?.value;
  return node === undefined || (node.kind === 'scalar' && node.isNull) ? undefined : node;
}

/** A key's mapping; anything else that stands there is a problem. */
export function mapOf(
  map: LocatedMap | undefined,
  key: string,
  path: string,
  problems: ProblemSink,
): LocatedMap | undefined {
  const node = nodeAt(map, key);
  if (node === undefined || node.kind === 'map') return node;
  const shown = node.kind === 'scalar' ? asWritten(node) : 'a list';
  problems.add({
    severity: 'error',
    place: node.place,
    path: memberPath(path, key),
    message: `must be a mapping of keys, not ${shown}`,
  });
  return undefined;
}

/** A sink that tells a file's problems in this package's words. */
export function intoInputProblems(list: ProblemList, what: string): ProblemSink {
  return {
    add({ severity, place, path, value, message, hint }: Problem) {
      list.add({
        code: codeOf(message, path),
        severity,
        at: path === '' ? what : path,
        ...wordsOf(message, value),
        fix: hint ?? `correct ${path === '' ? 'the file' : path} in ${place.file}`,
        place,
      });
    },
  };
}

/** What was found and what is allowed: a reader's message says either, or what is wanted. */
function wordsOf(message: string, value: string | undefined): { readonly found: string; readonly allowed: string } {
  if (message === UNKNOWN_KEY) return { found: 'a key that is not known', allowed: 'the keys dispat has' };
  if (!message.startsWith('must ')) {
    const found = value === undefined ? message : `${value}, which ${message}`;
    return { found, allowed: 'each key once, in a form that readers agree on' };
  }
  const [wanted = '', ...shown] = message.split(', not ');
  return {
    found: shown.length === 0 ? 'something else' : shown.join(', not '),
    allowed: wanted.replace(/^must be /, ''),
  };
}

/** What is wrong with a file's form though it has a place within it. */
const OF_THE_FORM = /^(aliases|the nesting) /;

function codeOf(message: string, path: string): ProblemCode {
  if (message === UNKNOWN_KEY) return 'CONFIG_UNKNOWN_KEY';
  if (message.startsWith('is set twice')) return 'YAML_DUPLICATE_KEY';
  return path === '' || OF_THE_FORM.test(message) ? 'YAML_INVALID' : 'OPTION_INVALID';
}
