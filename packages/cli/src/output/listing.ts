import { usageError } from '../usage.js';
import { type Column, table } from './table.js';
import type { View } from './view.js';

/** A column of a list, and what a row has in it. */
export interface ListColumn<Row> extends Column {
  cell(row: Row, view: View): string;
  /** What rows are sorted by; the text of the cell unless given. Undefined goes last. */
  sortKey?(row: Row): string | number | undefined;
  /** Shown with `-o wide` alone. */
  readonly wide?: boolean;
}

/** What rows are sorted by. */
export interface SortOrder {
  /** A column's title in small letters, with hyphens for spaces. */
  readonly column: string;
  readonly descending: boolean;
}

/** How a table is asked for. */
export interface TableOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly indent?: number;
}

/** The word a column is sorted by: `SCALE SET` is `scale-set`. */
function sortName({ title }: Pick<Column, 'title'>): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Rows in the order asked for; those that are equal stay as they are. Without such a column, nothing changes. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  sort: SortOrder | undefined,
  view: View,
): readonly Row[] {
  const column = columns.find((one) => sortName(one) === sort?.column);
  if (sort === undefined || column === undefined) return rows;
  const keyOf = (row: Row): string | number | undefined =>
    column.sortKey === undefined ? column.cell(row, view) : column.sortKey(row);
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  const known = keyed.filter(({ key }) => key !== undefined);
  const order = sort.descending ? -1 : 1;
  known.sort((a, b) => order * compare(a.key, b.key));
  return [...known, ...keyed.filter(({ key }) => key === undefined)].map(({ row }) => row);
}

function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

/** A list as a table. On a narrow terminal columns go, unless it is to be wide. */
export function listTable<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  { wide, headers, indent = 0 }: TableOptions,
  view: View,
): string[] {
  const shown = columns.filter((column) => wide || column.wide !== true);
  const lines = table(
    // Without its title a column is as wide as what stands in it.
    headers ? shown : shown.map((column) => ({ ...column, title: '' })),
    rows.map((row) => shown.map((column) => column.cell(row, view))),
    { indent, header: view.style.bold, ...(!wide && view.width !== undefined && { width: view.width }) },
  );
  return headers ? lines : lines.slice(1);
}

/** Flags as the command line gives them. */
export interface ListFlags extends Readonly<Record<string, unknown>> {
  readonly noHeaders?: unknown;
  readonly sort?: unknown;
}

/**
 * What is sorted by, and whether tables have headers.
 * @throws ExitError 64 for an order that is none, naming the columns there are
 */
export function listOptions(
  { noHeaders, sort }: ListFlags,
  columns: readonly Pick<Column, 'title'>[],
): { readonly headers: boolean; readonly sort: SortOrder | undefined } {
  return { headers: noHeaders !== true, sort: typeof sort === 'string' ? readSort(sort, columns) : undefined };
}

function readSort(text: string, columns: readonly Pick<Column, 'title'>[]): SortOrder {
  const [column = '', direction = 'asc', ...more] = text.split(':');
  const names = [...new Set(columns.map(sortName))];
  if (!names.includes(column)) throw usageError(`--sort must be one of ${names.join(', ')}, not "${text}"`);
  if (more.length > 0 || !['asc', 'desc'].includes(direction)) {
    throw usageError(`--sort takes a column and asc or desc, as in --sort ${column}:desc, not "${text}"`);
  }
  return { column, descending: direction === 'desc' };
}
