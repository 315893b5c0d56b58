import type { Located, LocatedMap, Place, Problem } from '@rungar/model';
import { parse } from 'smol-toml';

/** A TOML document, or what is wrong with it. */
export type TomlReading =
  | { readonly root: LocatedMap; readonly problem?: undefined }
  | { readonly root?: undefined; readonly problem: Problem };

const MOST_DEPTH = 100;

/**
 * Reads TOML text. A value has the place where it begins; one inside an array or an inline table has the place of the
 * key whose line it belongs to. Never throws.
 */
export function readToml(text: string, file: string): TomlReading {
  try {
    const document = parse(text, { maxDepth: MOST_DEPTH, integersAsBigInt: 'asNeeded' });
    const places = placesIn(text, file);
    return { root: mapOf(document, [], { places, within: { file, line: 1, column: 1 } }) };
  } catch (error) {
    return { problem: problemOf(error, file) };
  }
}

/** smol-toml's errors carry line and column, counted from 1, and draw the place below the first line. */
function problemOf(error: unknown, file: string): Problem {
  const { line, column } = { line: 1, column: 1, ...(error instanceof Error && error) };
  const said = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  const what = said.replace(/^Invalid TOML document: /, '');
  const message = /redefine/.test(what) ? 'is set twice' : `is not TOML: ${what}`;
  return { severity: 'error', place: { file, line, column }, path: '', message };
}

interface Context {
  readonly places: ReadonlyMap<string, Entry>;
  /** The place of the nearest thing around that has one. */
  readonly within: Place;
}

interface Entry {
  readonly key: Place;
  readonly value: Place;
}

type Path = readonly (string | number)[];

function locate(value: unknown, path: Path, context: Context): Located {
  const place = context.places.get(JSON.stringify(path))?.value ?? context.within;
  const inside = { ...context, within: place };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => locate(item, [...path, index], inside));
    return { kind: 'list', items, place };
  }
  if (value instanceof Date) {
    return { kind: 'scalar', source: value.toISOString(), quoted: true, isNull: false, place };
  }
  if (typeof value === 'object' && value !== null) return mapOf(value, path, inside);
  return { kind: 'scalar', source: String(value), quoted: typeof value === 'string', isNull: false, place };
}

function mapOf(table: object, path: Path, context: Context): LocatedMap {
  const entries = Object.entries(table).map(([key, member]: [string, unknown]) => {
    const memberPath = [...path, key];
    const keyPlace = context.places.get(JSON.stringify(memberPath))?.key ?? context.within;
    return { key, keyPlace, value: locate(member, memberPath, context) };
  });
  return { kind: 'map', entries, place: context.within };
}

const PART = /[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'/;
const KEY = `(?:${PART.source})(?:\\s*\\.\\s*(?:${PART.source}))*`;
const HEADER = new RegExp(`^\\s*(\\[\\[?)\\s*(${KEY})\\s*\\]`);
const ASSIGNMENT = new RegExp(`^(\\s*)(${KEY})\\s*=\\s*`);

/** Where keys and tables were written, by their path as JSON. Valid TOML has each of them at the beginning of a line. */
function placesIn(text: string, file: string): ReadonlyMap<string, Entry> {
  const places = new Map<string, Entry>();
  const lengths = new Map<string, number>();
  let table: Path = [];
  let open: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const place = (column: number): Place => ({ file, line: at + 1, column });
    if (open !== undefined) {
      if (line.includes(open)) open = undefined;
      continue;
    }
    const [, brackets, name] = HEADER.exec(line) ?? [];
    const assigned = ASSIGNMENT.exec(line);
    if (name !== undefined) {
      table = tableAt(partsOf(name), brackets === '[[', lengths);
      const start = place(line.indexOf('[') + 1);
      places.set(JSON.stringify(table), { key: start, value: start });
    } else if (assigned !== null) {
      const [whole, indent = '', key = ''] = assigned;
      const path = [...table, ...partsOf(key)];
      places.set(JSON.stringify(path), { key: place(indent.length + 1), value: place(whole.length + 1) });
      open = opened(line.slice(whole.length));
    }
  }
  return places;
}

/** The delimiter of a string of several lines that begins here and does not end here. */
function opened(value: string): string | undefined {
  const delimiter = ['"""', "'''"].find((quotes) => value.startsWith(quotes));
  return delimiter === undefined || value.indexOf(delimiter, 3) !== -1 ? undefined : delimiter;
}

/** The path of a table, with the index of each array of tables on the way; `lengths` counts those. */
function tableAt(parts: readonly string[], isArray: boolean, lengths: Map<string, number>): Path {
  const path: (string | number)[] = [];
  for (const [at, part] of parts.entries()) {
    path.push(part);
    const key = JSON.stringify(path);
    const length = lengths.get(key);
    if (isArray && at === parts.length - 1) {
      lengths.set(key, (length ?? 0) + 1);
      path.push(length ?? 0);
    } else if (length !== undefined) path.push(length - 1);
  }
  return path;
}

/** `a."b.c".'d'` apart. */
function partsOf(key: string): string[] {
  return [...key.matchAll(new RegExp(PART, 'g'))].map(([part]) => {
    if (part.startsWith("'")) return part.slice(1, -1);
    return part.startsWith('"') ? quotedKey(part) : part;
  });
}

/** TOML's escapes are JSON's and a few more; a key with one of those is only not found. */
function quotedKey(part: string): string {
  try {
    return String(JSON.parse(part));
  } catch {
    return part;
  }
}
