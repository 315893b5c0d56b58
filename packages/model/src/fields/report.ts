import type { Located, LocatedScalar, ProblemSink } from '../located.js';
import { escaped } from './path.js';

const LONGEST_SHOWN = 60;

/** A value for a message: in quotes, on one line, not too long. */
export function quoted(text: string): string {
  return escaped(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/**
 * A scalar for a message. A bare word stays bare, so that `5` and `"5"` are told apart, unless its last dot would be
 * taken for the end of the sentence.
 */
export function asWritten({ source, quoted: inQuotes }: LocatedScalar): string {
  return !inQuotes && /^[!-~]{1,60}$/.test(source) && !/"|\.$/.test(source) ? source : quoted(source);
}

/** What a value is, in words. */
function kindOf(node: Located): string {
  if (node.kind === 'list') return 'a list';
  return node.kind === 'map' ? 'a mapping' : 'a single value';
}

/** A value that is not what its field must be. */
export interface Rejection {
  readonly node: Located;
  readonly path: string;
  /** What the value must be: `must be …`. */
  readonly want: string;
  readonly hint?: string | undefined;
  /** Whether the value must not be shown. */
  readonly secret?: boolean | undefined;
}

/** Says that a value is not what it must be, showing it where that is safe. */
export function reject(problems: ProblemSink, { node, path, want, hint, secret }: Rejection): undefined {
  const shown = node.kind === 'scalar' && secret !== true ? node : undefined;
  problems.add({
    severity: 'error',
    place: node.place,
    path,
    message: shown === undefined ? want : `${want}, not ${asWritten(shown)}`,
    ...(shown !== undefined && { value: shown.source }),
    ...(hint !== undefined && { hint }),
  });
  return undefined;
}

/** `node` as a single value; anything else is rejected. */
export function asScalar(node: Located, path: string, want: string, problems: ProblemSink): LocatedScalar | undefined {
  if (node.kind === 'scalar') return node;
  return reject(problems, { node, path, want: `${want}, not ${kindOf(node)}` });
}
