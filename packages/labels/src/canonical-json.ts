import type { Labels } from '@rungar/model';
import { InvalidArgument, requireText, shown } from './invalid-argument.js';
import { sortedKeys, textOf } from './keys.js';
import { sortUtf8 } from './text.js';

/** Whatever is not plain ASCII between quotes, or is escaped there. */
const NOT_PLAIN = /[^ !#-%'-;=?-[\]-~]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** What `JSON.stringify` leaves as it is and the Go daemon escapes. */
const ESCAPED_BESIDES = /[<>&\u2028\u2029]/g;
/** From here on JavaScript writes a number with an exponent, so that it cannot be meant as an integer. */
const FIRST_WITH_EXPONENT = 1e21;
/** Far deeper than any runner block, and shallow enough to notice a value that holds itself. */
const DEEPEST = 200;

/**
 * The JSON text two implementations agree on, to be hashed or kept on a machine: no white space, and `<`, `>`, `&`,
 * U+2028 and U+2029 escaped.
 *
 * A plain object is a record: its keys stay in their order, and members that are `undefined` are left out. (JavaScript
 * itself puts keys that look like an array index first.) A `Map` is a map of the user's: its keys are sorted by their
 * UTF-8 bytes. A `bigint` is an integer of any size. Half a surrogate pair becomes `\ufffd`.
 * @throws an error of code `invalid_argument` for anything else: `undefined` outside a record, functions, symbols, class
 * instances, keys of a `Map` that are not text, NaN and the infinities, values nested over 200 deep, and integers a
 * `number` cannot hold exactly
 */
export function canonicalJson(value: unknown): string {
  return write(value, '', 0);
}

/** {@link canonicalJson} of labels, which are a map whatever holds them. */
export function labelsJson(labels: Labels): string {
  let out = '';
  for (const key of sortedKeys(labels)) out += `${out && ','}${quote(key)}:${quote(textOf(labels, key))}`;
  return `{${out}}`;
}

/** @param at the key or index at which `value` stands, to name it in an error */
function write(value: unknown, at: string | number, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return writeNumber(value, at);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return writeObject(value, at, depth + 1);
    default:
      throw refusal(at, `${shown(value)} has no JSON form`);
  }
}

function writeNumber(value: number, at: string | number): string {
  if (!Number.isFinite(value)) throw refusal(at, `${value} has no JSON form`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < FIRST_WITH_EXPONENT) {
    throw refusal(at, `${value} is beyond the integers a number holds exactly`, 'give it as a bigint');
  }
  return String(value);
}

function writeObject(value: object, at: string | number, depth: number): string {
  if (depth > DEEPEST) throw refusal(at, `it is nested over ${DEEPEST} deep, or holds itself`);
  if (Array.isArray(value)) return writeList(value, depth);
  if (value instanceof Map) return writeMap(value, at, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null)
    return writeRecord(value as Record<string, unknown>, depth);
  throw refusal(at, 'an instance of a class has no JSON form', 'give a plain object, a list or a Map');
}

function writeList(list: readonly unknown[], depth: number): string {
  let out = '';
  for (let index = 0; index < list.length; index++) out += `${out && ','}${write(list[index], index, depth)}`;
  return `[${out}]`;
}

function writeMap(map: ReadonlyMap<unknown, unknown>, at: string | number, depth: number): string {
  const keys: string[] = [];
  for (const key of map.keys()) {
    requireText(key, at === '' ? 'the key of a Map' : `the key of the Map at ${shown(String(at))}`);
    keys.push(key);
  }
  let out = '';
  for (const key of sortUtf8(keys)) out += `${out && ','}${quote(key)}:${write(map.get(key), key, depth)}`;
  return `{${out}}`;
}

function writeRecord(record: Readonly<Record<string, unknown>>, depth: number): string {
  let out = '';
  for (const key of Object.keys(record)) {
    const member = record[key];
    if (member !== undefined) out += `${out && ','}${quote(key)}:${write(member, key, depth)}`;
  }
  return `{${out}}`;
}

function quote(text: string): string {
  if (!NOT_PLAIN.test(text)) return `"${text}"`;
  if (!LONE_SURROGATE.test(text)) return escapeAll(text);
  const parts = text.split(LONE_SURROGATE).map((part) => escapeAll(part).slice(1, -1));
  return `"${parts.join('\\ufffd')}"`;
}

function escapeAll(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED_BESIDES,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function refusal(at: string | number, what: string, hint?: string): InvalidArgument {
  return new InvalidArgument(at === '' ? what : `${shown(String(at))}: ${what}`, hint);
}
