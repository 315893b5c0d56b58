import { entryOf, type LocatedMap } from '@rungar/model';

/**
 * A file's text with its version set and nothing else touched: in its place where there is one, else above the first
 * key and the comment directly on that.
 * @param map what the text says
 * @returns nothing where the text is laid out in a way that this cannot follow; whoever asks makes sure that the
 * result says what is wanted
 */
export function setVersionInText(text: string, map: LocatedMap, version: number): string | undefined {
  if (/\r(?!\n)/.test(text)) return undefined;
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const lines = text.slice(mark.length).split('\n');
  const entry = entryOf(map, 'version');
  const edited = entry === undefined ? inserted(lines, map, version) : replaced(lines, entry.keyPlace, version);
  return edited && mark + edited.join('\n');
}

interface At {
  readonly line: number;
  readonly column: number;
}

/** The key, and the white space, the value and the rest of the line after it. */
const KEY_AND_VALUE = /^((?:version|"version"|'version')[ \t]*:)([ \t]*)([^\s#,}]*)(.*)$/s;

function replaced(lines: readonly string[], at: At, version: number): string[] | undefined {
  const line = lines[at.line - 1] ?? '';
  const before = line.slice(0, at.column - 1);
  const [, key, space = '', value = '', rest = ''] = KEY_AND_VALUE.exec(line.slice(before.length)) ?? [];
  if (key === undefined) return undefined;
  const written = value === '' ? `${key} ${version}${space}${rest}` : `${key}${space}${version}${rest}`;
  return lines.with(at.line - 1, before + written);
}

function inserted(lines: readonly string[], { place }: LocatedMap, version: number): string[] | undefined {
  const line = lines[place.line - 1] ?? '';
  const indent = line.slice(0, place.column - 1);
  if (indent.trim() !== '' || line.slice(indent.length).startsWith('?')) return undefined;
  const end = lines.some((each) => each.endsWith('\r')) ? '\r' : '';
  let above = place.line - 1;
  while (above > 0 && /^[ \t]*#/.test(lines[above - 1] ?? '')) above--;
  return lines.toSpliced(above, 0, `${indent}version: ${version}${end}`, end);
}
