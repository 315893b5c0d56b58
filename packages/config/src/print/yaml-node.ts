import { type Located, quoted } from '@rungar/model';

/** A value to print, as YAML or as JSON. */
export type YamlNode =
  /** Text, whatever it looks like. */
  | { readonly kind: 'text'; readonly text: string }
  /** A number, a word or nothing: written without quotes, so that it stays what it is. */
  | { readonly kind: 'bare'; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly YamlNode[]; readonly onOneLine?: boolean }
  | { readonly kind: 'map'; readonly entries: readonly YamlEntry[] };

export type YamlEntry = readonly [key: string, value: YamlNode];

export type YamlMap = Extract<YamlNode, { kind: 'map' }>;

/** What may be written without quotes and still be a number, a word of yes or no, or a size. */
const BARE = /^(?:[-+]?\.?[A-Za-z0-9]|\/)[A-Za-z0-9_./@:+-]*$/;

export function text(value: string): YamlNode {
  return { kind: 'text', text: value };
}

/** @param source a number or a boolean, or a text that YAML could not take for one */
export function bare(source: string | number | bigint | boolean): YamlNode {
  return { kind: 'bare', source: String(source) };
}

/** A mapping of those keys that have a value. */
export function map(entries: Readonly<Record<string, YamlNode | undefined>>): YamlMap {
  return {
    kind: 'map',
    entries: Object.entries(entries).flatMap(([key, node]) => (node ? [[key, node] as const] : [])),
  };
}

export function list(items: readonly YamlNode[]): YamlNode {
  return { kind: 'list', items };
}

/** What a file says, without its comments and anchors. Whether a value was a number or a text stays as it was. */
export function nodeOf(located: Located): YamlNode {
  if (located.kind === 'list') return list(located.items.map(nodeOf));
  if (located.kind === 'map') {
    return { kind: 'map', entries: located.entries.map(({ key, value }) => [key, nodeOf(value)]) };
  }
  if (located.isNull) return bare('null');
  const { source } = located;
  return !located.quoted && BARE.test(source) && !source.endsWith(':') ? bare(source) : text(source);
}

/**
 * Plain data as a provider's type gives it: texts, numbers, booleans, nulls, lists, records and maps of them.
 * @throws TypeError for anything else
 */
export function nodeOfData(value: unknown): YamlNode {
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return bare(value);
    case 'object': {
      if (value === null) return bare('null');
      if (Array.isArray(value)) return list(value.map(nodeOfData));
      const entries = value instanceof Map ? [...value] : Object.entries(value);
      const present = entries.filter(([, member]) => member !== undefined);
      return { kind: 'map', entries: present.map(([key, member]) => [String(key), nodeOfData(member)]) };
    }
    default:
      throw new TypeError(`${quoted(String(value))} is nothing that can be printed`);
  }
}

/** The same as JSON has it: numbers and booleans as such, and whatever else is no text in the words of the file. */
export function dataOf(node: YamlNode): unknown {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'list':
      return node.items.map(dataOf);
    case 'map':
      return Object.fromEntries(node.entries.map(([key, value]) => [key, dataOf(value)]));
    case 'bare':
      return wordOf(node.source);
  }
}

function wordOf(source: string): unknown {
  if (source === 'null') return null;
  if (source === 'true' || source === 'false') return source === 'true';
  const isNumber = /^[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(source);
  const isExact = !/^[-+]?[0-9]+$/.test(source) || Number.isSafeInteger(Number(source));
  return isNumber && isExact && Number.isFinite(Number(source)) ? Number(source) : source;
}
