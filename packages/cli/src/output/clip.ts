import { stripVTControlCharacters } from 'node:util';

/** Cuts a line that is too wide; its colours go with what is cut. */
export function clip(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}
