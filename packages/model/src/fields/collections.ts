import type { Located, LocatedEntry, LocatedMap, Place, Problem, ProblemSink } from '../located.js';
import {
  type Field,
  type FieldOptions,
  type Fields,
  type IsSure,
  makeField,
  type Reading,
  type Values,
} from './field.js';
import { itemPath, memberPath } from './path.js';
import { reject } from './report.js';
import { didYouMean } from './scalars.js';

export interface ListOptions<T> extends FieldOptions<readonly T[]> {
  /** Whether a single value may stand for a list of one. */
  readonly alsoOne?: boolean;
  /** Whether the same item may not stand twice. */
  readonly unique?: boolean;
  /** Whether empty items are left out. Without this they are problems. */
  readonly dropEmpty?: boolean;
  /** Whether an empty list is a value of its own. Without this it is the same as none. */
  readonly keepEmpty?: boolean;
}

/** A list, each item read by one field. */
export function list<T, const O extends ListOptions<NoInfer<T>>>(
  of: Field<T>,
  options: O,
): Field<readonly T[], IsSure<O>> {
  const shape = {
    kind: 'list',
    of,
    alsoOne: options.alsoOne ?? false,
    unique: options.unique ?? false,
    emptyItems: options.dropEmpty === true || (of.shape.kind === 'text' && of.shape.keepEmpty),
  } as const;
  return makeField<readonly T[], O>(shape, options, {
    isUnset: (value) => value.length === 0 && options.keepEmpty !== true,
    read(node, path, problems) {
      const items = itemsOf(node, options.alsoOne === true);
      if (items === undefined) {
        const hint = node.kind === 'scalar' ? 'put it in brackets, or on a line of its own after "- "' : undefined;
        return reject(problems, { node, path, want: 'must be a list', secret: options.secret, hint });
      }
      const seen = new Map<T, number>();
      const values: T[] = [];
      let wrong = false;
      for (const [index, item] of items.entries()) {
        const at = node.kind === 'list' ? itemPath(path, index) : path;
        const value = of.read(item, at, problems);
        if (value !== undefined && of.isUnset(value) && options.dropEmpty === true) continue;
        const want = value === undefined ? undefined : wrongItem(value, of, options.unique === true, seen);
        if (want !== undefined) reject(problems, { node: item, path: at, want });
        if (value === undefined || want !== undefined) wrong = true;
        else values.push(value);
      }
      if (wrong) return undefined;
      const want = options.check?.(values);
      return want === undefined ? values : reject(problems, { node, path, want });
    },
  });
}

function itemsOf(node: Located, alsoOne: boolean): readonly Located[] | undefined {
  if (node.kind === 'list') return node.items;
  if (!alsoOne || node.kind === 'map') return undefined;
  return node.source === '' ? [] : [node];
}

function wrongItem<T>(value: T, of: Field<T>, unique: boolean, seen: Map<T, number>): string | undefined {
  if (of.isUnset(value)) return 'must not be empty';
  const first = seen.get(value);
  if (unique && first !== undefined) return `must not repeat item ${first + 1}`;
  seen.set(value, seen.size);
  return undefined;
}

export interface TextMapOptions extends FieldOptions<ReadonlyMap<string, string>> {
  /** What a key must be (`must not …`), when it is not. */
  readonly checkKey?: (key: string) => string | undefined;
  /** What a value must be (`must …`), when it is not. */
  readonly checkValue?: (value: string) => string | undefined;
}

/** A mapping of text to text, as for environment variables and tags. A null value is an empty text. */
export function textMap<const O extends TextMapOptions>(options: O): Field<ReadonlyMap<string, string>, IsSure<O>> {
  return makeField<ReadonlyMap<string, string>, O>({ kind: 'text map' }, options, {
    read(node, path, problems) {
      if (node.kind !== 'map') {
        return reject(problems, { node, path, want: 'must be a mapping of names to text', secret: options.secret });
      }
      const values = new Map<string, string>();
      for (const { key, keyPlace, value } of node.entries) {
        const at = memberPath(path, key);
        if (value.kind !== 'scalar') {
          reject(problems, { node: value, path: at, want: 'must be text' });
          continue;
        }
        const wrongKey = options.checkKey?.(key);
        if (wrongKey !== undefined) problems.add({ severity: 'error', place: keyPlace, path: at, message: wrongKey });
        const text = value.isNull ? '' : value.source;
        const wrongValue = options.checkValue?.(text);
        if (wrongValue !== undefined)
          reject(problems, { node: value, path: at, want: wrongValue, secret: options.secret });
        if (wrongKey === undefined && wrongValue === undefined) values.set(key, text);
      }
      return values.size === node.entries.length ? values : undefined;
    },
  });
}

/** A mapping with keys of its own. */
export function mapping<F extends Fields, const O extends FieldOptions<Reading<F>>>(
  fields: F,
  options: O,
): Field<Reading<F>, IsSure<O>> {
  return makeField<Reading<F>, O>({ kind: 'mapping', fields }, options, {
    read(node, path, problems) {
      if (node.kind !== 'map') return reject(problems, { node, path, want: 'must be a mapping of keys' });
      return readMapping(node, fields, path, problems);
    },
  });
}

/** Anything at all, left to somebody else to read. */
export function any<const O extends FieldOptions<Located>>(options: O): Field<Located, IsSure<O>> {
  return makeField<Located, O>({ kind: 'any' }, options, { read: (node) => node });
}

/**
 * Reads a mapping strictly: a key that is not in `fields` is a problem, with the nearest one that is. A null value is
 * the same as an absent one.
 * @param path where the mapping stands; empty for the whole file
 */
export function readMapping<F extends Fields>(
  map: LocatedMap,
  fields: F,
  path: string,
  problems: ProblemSink,
): Reading<F> {
  let errors = 0;
  const counted: ProblemSink = {
    add(problem: Problem) {
      if (problem.severity === 'error') errors++;
      problems.add(problem);
    },
  };
  const values: Record<string, unknown> = {};
  const written = new Set<string>();
  const wrong = new Set<string>();
  for (const { key, keyPlace, value: node } of map.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      counted.add(unknownKey(key, keyPlace, Object.keys(fields), path));
      continue;
    }
    if (node.kind === 'scalar' && node.isNull) continue;
    const value = field.read(node, memberPath(path, key), counted);
    if (value !== undefined && field.isUnset(value)) continue;
    written.add(key);
    if (value === undefined) wrong.add(key);
    else values[key] = value;
  }
  for (const [key, field] of Object.entries(fields)) {
    if (written.has(key)) continue;
    if (field.required) {
      wrong.add(key);
      counted.add(missingKey(key, field, map.place, path));
    }
    if (field.fallback !== undefined) values[key] = field.fallback;
  }
  return {
    map,
    values: values as Partial<Values<F>>,
    wrong,
    all: errors === 0 ? (values as Values<F>) : undefined,
  };
}

/** What is said of a key that a mapping does not have. */
export const UNKNOWN_KEY = 'is not a known key';

function unknownKey(key: string, place: Place, known: readonly string[], path: string): Problem {
  const hint = didYouMean(key, known) ?? `the keys here are ${[...known].sort().join(', ')}`;
  return { severity: 'error', place, path: memberPath(path, key), message: UNKNOWN_KEY, hint };
}

function missingKey(key: string, field: Field<unknown>, place: Place, path: string): Problem {
  return {
    severity: 'error',
    place,
    path: memberPath(path, key),
    message: 'is missing',
    hint: `it is ${field.description}`,
  };
}

/** A mapping's entry of that key. */
export function entryOf(map: LocatedMap, key: string): LocatedEntry | undefined {
  return map.entries.find((entry) => entry.key === key);
}

/** Where a mapping's value of that key stands, or the mapping itself where it has none. */
export function placeOf(map: LocatedMap, key: string): Place {
  return entryOf(map, key)?.value.place ?? map.place;
}
