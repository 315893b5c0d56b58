import { stripVTControlCharacters } from 'node:util';

/** A column of a table for people. */
export interface Column {
  readonly title: string;
  /** On a terminal too narrow for the table, columns with the highest number here go first; 0 always stays. */
  readonly expendable?: number;
}

const GAP = '   ';

/** How many columns of a terminal `text` takes, colour codes left out. */
export function displayWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * Lays out a table: columns left-aligned with three spaces between, the last one never padded.
 * @param width the columns of the terminal; without it every column is shown
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { width?: number; indent?: number; header?: (text: string) => string } = {},
): string[] {
  const { width = Number.POSITIVE_INFINITY, indent = 0, header = (text) => text } = options;
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...rows.map((row) => displayWidth(row[at] ?? ''))),
  );
  const shown = columnsThatFit(columns, widths, width - indent);
  const line = (cells: readonly string[]): string =>
    ' '.repeat(indent) +
    shown
      .map((at, position) =>
        position === shown.length - 1 ? (cells[at] ?? '') : pad(cells[at] ?? '', widths[at] ?? 0),
      )
      .join(GAP)
      .trimEnd();
  return [line(columns.map((column) => header(column.title))), ...rows.map(line)];
}

function columnsThatFit(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const shown = columns.map((_, at) => at);
  const total = (): number => shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + GAP.length * (shown.length - 1);
  while (total() > width) {
    const expendable = shown.filter((at) => (columns[at]?.expendable ?? 0) > 0);
    const worst = expendable.sort((a, b) => (columns[b]?.expendable ?? 0) - (columns[a]?.expendable ?? 0) || b - a)[0];
    if (worst === undefined) break;
    shown.splice(shown.indexOf(worst), 1);
  }
  return shown;
}
