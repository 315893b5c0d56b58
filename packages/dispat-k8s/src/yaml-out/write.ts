import { fitsBlock, yamlText } from './scalar.js';

/** Comments by the place they belong to: keys joined by slashes, list items by their `name` or their position. */
export type Comments = Readonly<Record<string, string>>;

/** Keys whose numbers are file modes: decimal, as all dialects agree on, with the octal beside it. */
const MODES = new Set(['defaultMode', 'mode']);

const NO_COMMENTS: Readonly<Comments> = {};

/**
 * Writes plain data as a YAML document. Equal data give equal bytes: keys stay in their order, absent (undefined)
 * members are left out, and every text is written so that YAML 1.1, YAML 1.2 and kubectl read it alike.
 */
export function writeYaml(value: Readonly<Record<string, unknown>>, comments: Comments = NO_COMMENTS): string {
  const lines: string[] = [];
  writeMap(lines, Object.entries(value), '', '', comments === NO_COMMENTS ? undefined : '', comments);
  return lines.length === 0 ? '{}\n' : `${lines.join('\n')}\n`;
}

type Entries = readonly (readonly [string, unknown])[];

/** `path` is kept only where there are comments to find by it. `lead` replaces the first line's indent: `- `. */
function writeMap(
  lines: string[],
  entries: Entries,
  indent: string,
  lead: string,
  path: string | undefined,
  comments: Comments,
): void {
  let start = lead === '' ? indent : lead;
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    const at = path === undefined ? undefined : path === '' ? key : `${path}/${key}`;
    const comment = at === undefined ? undefined : comments[at];
    if (comment !== undefined && start === indent) lines.push(`${indent}# ${comment}`);
    const own = comment !== undefined && start !== indent ? `  # ${comment}` : '';
    writeValue(lines, `${start}${yamlText(key)}:`, key, value, indent, at, comments, own);
    start = indent;
  }
}

function writeValue(
  lines: string[],
  start: string,
  key: string,
  value: unknown,
  indent: string,
  path: string | undefined,
  comments: Comments,
  comment: string,
): void {
  if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${start} []${comment}`);
    else {
      lines.push(`${start}${comment}`);
      writeList(lines, value, `${indent}  `, path, comments);
    }
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.every(([, member]) => member === undefined)) lines.push(`${start} {}${comment}`);
    else {
      lines.push(`${start}${comment}`);
      writeMap(lines, entries, `${indent}  `, '', path, comments);
    }
  } else if (typeof value === 'string' && fitsBlock(value)) {
    lines.push(`${start} |${comment}`, ...blockLines(value, `${indent}  `));
  } else {
    const octal = MODES.has(key) && typeof value === 'number' ? `  # octal 0${value.toString(8)}` : '';
    lines.push(`${start} ${scalar(value)}${octal}${comment}`);
  }
}

function writeList(
  lines: string[],
  items: readonly unknown[],
  indent: string,
  path: string | undefined,
  comments: Comments,
): void {
  for (const [index, item] of items.entries()) {
    const at = path === undefined ? undefined : `${path}/${nameOf(item) ?? index}`;
    const comment = at === undefined ? undefined : comments[at];
    if (comment !== undefined) lines.push(`${indent}# ${comment}`);
    if (typeof item === 'string' && fitsBlock(item)) {
      lines.push(`${indent}- |`, ...blockLines(item, `${indent}  `));
    } else if (typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0) {
      writeMap(lines, Object.entries(item), `${indent}  `, `${indent}- `, at, comments);
    } else {
      lines.push(`${indent}- ${scalar(item)}`);
    }
  }
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item)) return undefined;
  return typeof item.name === 'string' ? item.name : undefined;
}

function blockLines(text: string, indent: string): string[] {
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => (line === '' ? '' : `${indent}${line}`));
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? yamlText(value) : JSON.stringify(value);
}
