import type { LocatedScalar } from '@rungar/model';

/** What kubectl makes of one scalar. */
export type Scalar = string | number | boolean | null;

/**
 * A scalar as kubectl reads YAML: leading zeros and `0o` are octal, `yes`, `on`, `y` and their opposites are booleans,
 * underscores in numbers count for nothing, and digits with colons or a date stay text.
 */
export function readScalar(scalar: LocatedScalar): Scalar {
  if (scalar.quoted) return scalar.source;
  return scalar.isNull ? null : readPlain(scalar.source);
}

/** The same for a text without quotes. */
export function readPlain(source: string): Scalar {
  const first = source.charCodeAt(0);
  const known = WORDS.get(source);
  if (known !== undefined) return known;
  return MAY_BEGIN_A_NUMBER.has(first) ? (readNumber(source) ?? source) : source;
}

/** The characters a number may begin with: a sign, a dot or a digit. */
const MAY_BEGIN_A_NUMBER = new Set([...'+-.0123456789'].map((character) => character.charCodeAt(0)));

const WORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...spellings(['y', 'yes', 'true', 'on'], true),
  ...spellings(['n', 'no', 'false', 'off'], false),
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, null] => [word, null]),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word): [string, number] => [word, Infinity]),
  ...['-.inf', '-.Inf', '-.INF'].map((word): [string, number] => [word, -Infinity]),
  ...['.nan', '.NaN', '.NAN'].map((word): [string, number] => [word, Number.NaN]),
]);

function spellings(words: readonly string[], value: boolean): [string, boolean][] {
  return words.flatMap((word) =>
    [word, `${word.charAt(0).toUpperCase()}${word.slice(1)}`, word.toUpperCase()].map((spelling): [string, boolean] => [
      spelling,
      value,
    ]),
  );
}

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;

function readNumber(source: string): number | undefined {
  const digits = source.replaceAll('_', '');
  const integer = INTEGER.exec(digits);
  if (integer !== null) return (integer[1] === '-' ? -1 : 1) * magnitude(integer[2] ?? '');
  return FLOAT.test(digits) ? Number(digits) : undefined;
}

function magnitude(digits: string): number {
  return Number(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
}

/** Whether one of the YAML readers in use takes this unquoted text for anything but text. */
export function isDialectDependent(source: string): boolean {
  if (typeof readPlain(source) !== 'string') return true;
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(source);
}
