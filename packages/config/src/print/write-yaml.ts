import type { YamlEntry, YamlMap, YamlNode } from './yaml-node.js';

/** Texts that YAML of one version or another takes for a boolean, for nothing or for a number. */
const NO_TEXT = /^(?:y|yes|n|no|on|off|true|false|null|nan|inf|e[-+]?[0-9]+)$/i;
/** A text that needs no quotes: words of harmless characters, with single spaces between. */
const HARMLESS = /^[A-Za-z/][A-Za-z0-9_./@:+-]*(?: [A-Za-z0-9_./@+-][A-Za-z0-9_./@:+-]*)*$/;
/** A duration or a size: what begins with a digit and still is a text to every reader. */
const MEASURE = /^(?:(?:[0-9]+(?:\.[0-9]+)?(?:h|ms?|s|\u00b5s|ns))+|[0-9]+(?:\.[0-9]+)?[KMGTP]iB)$/;
/** Characters that no one would see, or that no file may hold, beyond those that JSON writes out. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\ufffe\uffff]/gu;
/** A block of lines must not hold what cannot stand in a file, nor what some readers end a line with. */
const NOT_IN_BLOCK = /[^\t\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|\p{Cf}/u;
/** A reader may give up on a key that is longer and stands before its colon on the same line. */
const LONGEST_KEY = 1_000;

/**
 * Writes YAML with an indent of two: mappings and lists on lines of their own, texts of several lines as blocks where
 * that keeps every character. What is equal is written equally, and reads back as the same.
 */
export function writeYaml(node: YamlMap): string {
  return node.entries.length === 0 ? '{}\n' : `${mapLines(node.entries, '').join('\n')}\n`;
}

function mapLines(entries: readonly YamlEntry[], indent: string): string[] {
  return entries.flatMap(([key, value]) => {
    const written = inline(key);
    const lead = written.length > LONGEST_KEY ? `${indent}? ${written}\n${indent}:` : `${indent}${written}:`;
    return valueLines(value, lead, indent);
  });
}

/** A value after its key. */
function valueLines(node: YamlNode, lead: string, indent: string): string[] {
  const below = `${indent}  `;
  switch (node.kind) {
    case 'bare':
      return [`${lead} ${node.source}`];
    case 'text':
      return scalarLines(node.text, lead, below);
    case 'list':
      if (node.items.length === 0) return [`${lead} []`];
      if (node.onOneLine) return [`${lead} [${node.items.map(onOneLine).join(', ')}]`];
      return [lead, ...listLines(node.items, below)];
    case 'map':
      return node.entries.length === 0 ? [`${lead} {}`] : [lead, ...mapLines(node.entries, below)];
  }
}

function listLines(items: readonly YamlNode[], indent: string): string[] {
  return items.flatMap((item) => {
    const within = `${indent}  `;
    if (item.kind === 'map' && item.entries.length > 0) return led(mapLines(item.entries, within), indent);
    if (item.kind === 'list' && item.items.length > 0 && !item.onOneLine) {
      return led(listLines(item.items, within), indent);
    }
    return valueLines(item, `${indent}-`, indent);
  });
}

/** Lines whose first begins an item of a list. */
function led([first = '', ...rest]: readonly string[], indent: string): string[] {
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

/** A value on one line, as it may stand in a list. */
export function onOneLine(node: YamlNode): string {
  switch (node.kind) {
    case 'bare':
      return node.source;
    case 'text':
      return inline(node.text);
    case 'list':
      return `[${node.items.map(onOneLine).join(', ')}]`;
    case 'map':
      return `{${node.entries.map(([key, value]) => `${inline(key)}: ${onOneLine(value)}`).join(', ')}}`;
  }
}

/** A text on one line: bare when every reader takes it for that text, else in double quotes. */
function inline(value: string): string {
  const harmless = HARMLESS.test(value) && !/:(?: |$)/.test(value) && !NO_TEXT.test(value);
  if (harmless || MEASURE.test(value)) return value;
  return JSON.stringify(value).replace(UNSEEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

function scalarLines(value: string, lead: string, indent: string): string[] {
  const lines = value.replace(/\n$/, '').split('\n');
  const [first = ''] = lines;
  const last = lines.at(-1) ?? '';
  const fits = lines.length > 1 && /^[^\s]/.test(first) && /[^\s]/.test(last) && !NOT_IN_BLOCK.test(value);
  if (!fits) return [`${lead} ${inline(value)}`];
  return [`${lead} ${value.endsWith('\n') ? '|' : '|-'}`, ...lines.map((line) => (line === '' ? '' : indent + line))];
}
