import { asWritten, type Located, type LocatedMap, type LocatedScalar } from '@rungar/model';
import type { OptionRow } from './table.js';

/** What a value was read as, or what it should have been. */
export type ValueReading = { readonly value: unknown } | { readonly found: string; readonly allowed: string };

/**
 * Reads one option's value from what was written, whatever its source: a file keeps every scalar's own spelling, so
 * `1e3` is a text where a text is wanted and no number where a number is.
 */
export function readValue(node: Located, row: OptionRow): ValueReading {
  switch (row.kind) {
    case 'text':
      return node.kind === 'scalar' ? { value: node.source } : wrong(node, 'a text');
    case 'choice':
      return readChoice(node, row.words);
    case 'integer':
      return readInteger(node, row.min, row.max);
    case 'boolean':
      return readBoolean(node);
    case 'texts':
      return readTexts(node);
    case 'map':
      return readMap(node);
    case 'object':
      return readObject(node);
    case 'objects':
      return readObjects(node);
  }
}

function wrong(node: Located, allowed: string): ValueReading {
  return { found: shown(node), allowed };
}

function shown(node: Located): string {
  if (node.kind === 'scalar') return asWritten(node);
  return node.kind === 'list' ? 'a list' : 'a mapping';
}

function readChoice(node: Located, words: readonly string[]): ValueReading {
  if (node.kind === 'scalar' && words.includes(node.source)) return { value: node.source };
  return wrong(node, `one of ${words.join(', ')}`);
}

function readInteger(node: Located, min: number, max: number): ValueReading {
  const text = node.kind === 'scalar' ? node.source : '';
  const value = /^(0|-?[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? { value } : wrong(node, `a whole number from ${min} to ${max}`);
}

function readBoolean(node: Located): ValueReading {
  if (node.kind === 'scalar' && (node.source === 'true' || node.source === 'false')) {
    return { value: node.source === 'true' };
  }
  return wrong(node, 'true or false');
}

function readTexts(node: Located): ValueReading {
  const items = node.kind === 'list' ? node.items : [node];
  const texts = items.map((item) => (item.kind === 'scalar' ? item.source : undefined));
  return texts.includes(undefined) ? { found: shown(node), allowed: 'a list of texts' } : { value: texts };
}

/** A mapping of names to text or, as flags give it, a list of `NAME=VALUE`. Values stay unseen: they may be secret. */
function readMap(node: Located): ValueReading {
  const allowed = 'names with a text each: NAME=VALUE';
  const entries = node.kind === 'map' ? entriesOf(node) : pairsOf(node);
  if (entries === undefined) return { found: 'something else', allowed };
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { found: `${twice} twice`, allowed: 'each name once' };
  return { value: Object.fromEntries(entries) };
}

type Entries = readonly (readonly [string, string])[];

function entriesOf(node: LocatedMap): Entries | undefined {
  const entries: [string, string][] = [];
  for (const { key, value } of node.entries) {
    if (value.kind !== 'scalar') return undefined;
    entries.push([key, value.isNull ? '' : value.source]);
  }
  return entries;
}

function pairsOf(node: Located): Entries | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  const entries: [string, string][] = [];
  for (const item of items) {
    const cut = item.kind === 'scalar' ? item.source.indexOf('=') : -1;
    if (item.kind !== 'scalar' || cut < 1) return undefined;
    entries.push([item.source.slice(0, cut), item.source.slice(cut + 1)]);
  }
  return entries;
}

function readObject(node: Located): ValueReading {
  const value = node.kind === 'scalar' ? jsonOf(node) : plainOf(node);
  return isObject(value) ? { value } : wrong(node, 'a mapping, on the command line as JSON');
}

function readObjects(node: Located): ValueReading {
  const items = node.kind === 'list' ? node.items : [node];
  const values = items.map((item) =>
    item.kind === 'scalar' ? (item.source.startsWith('{') ? jsonOf(item) : item.source) : plainOf(item),
  );
  const fine = values.every((value) => isObject(value) || (typeof value === 'string' && value !== ''));
  return fine ? { value: values } : wrong(node, 'a list of mappings, on the command line as JSON');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOf(node: LocatedScalar): unknown {
  try {
    return JSON.parse(node.source);
  } catch {
    return undefined;
  }
}

/** A value as the cluster would read it: unquoted words are booleans and numbers in the way of kubectl. */
function plainOf(node: Located): unknown {
  if (node.kind === 'list') return node.items.map(plainOf);
  if (node.kind === 'map') return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
  if (node.quoted) return node.source;
  if (node.isNull) return null;
  const { source } = node;
  if (/^(true|yes|on)$/i.test(source)) return true;
  if (/^(false|no|off)$/i.test(source)) return false;
  if (/^-?(0|[1-9][0-9]*)$/.test(source)) return Number(source);
  if (/^0o?[0-7]+$/.test(source)) return Number.parseInt(source.replace('o', ''), 8);
  return /^-?[0-9]+\.[0-9]+$/.test(source) ? Number(source) : source;
}
