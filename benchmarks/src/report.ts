import type { Benchmark, Result } from './benchmark.js';
import type { Verdict } from './judge.js';

/** A row of the table: a judged result, or why there is none. */
export type Row = { readonly what: string } & (
  | { readonly result: Result; readonly verdict: Verdict }
  | { readonly failure: string }
);

export interface Report {
  readonly benchmark: Benchmark;
  readonly rows: readonly Row[];
}

const TITLES = ['', 'ours', 'reference', 'ratio', '(min–max)', 'target', 'bar', 'verdict'];

/** The lines of the table for one benchmark. */
export function lines({ benchmark, rows }: Report): string[] {
  const cells = rows.map(cellsOf);
  const widths = TITLES.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const layOut = (row: readonly string[]): string =>
    `  ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')}`;
  const failures = rows.flatMap((row) => ('failure' in row ? [`  ${row.what} failed: ${row.failure}`] : []));
  return [
    `${benchmark.id} ${benchmark.what} (${benchmark.kind})`,
    layOut(TITLES),
    ...cells.map(layOut),
    ...failures,
    '',
  ];
}

function cellsOf(row: Row): string[] {
  if ('failure' in row) return [row.what, '-', '-', '-', '', '-', '-', 'failed'];
  const { result, verdict } = row;
  return [
    row.what,
    amount(result.ours, result.unit),
    result.reference === undefined ? '-' : amount(result.reference, result.unit),
    number(result.ratio),
    result.spread ? `(${number(result.spread.min)}–${number(result.spread.max)})` : '',
    result.target === undefined ? '-' : number(result.target),
    result.bar === undefined ? '-' : number(result.bar),
    verdict,
  ];
}

function amount(value: number, unit: string): string {
  if (unit === '/s') return value >= 1e6 ? `${(value / 1e6).toFixed(2)}M/s` : `${Math.round(value / 1000)}k/s`;
  if (unit === 'ms') return `${value.toFixed(1)} ms`;
  return `${number(value)}${unit && ` ${unit}`}`;
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** Where and when it was measured: nothing that names the machine. */
export interface Host {
  /** Node.js's version. */
  readonly node: string;
  readonly cores: number;
  readonly memoryGiB: number;
  /** The day, as 2027-01-04. */
  readonly date: string;
}

/** Everything for a program. */
export function toJson(reports: readonly Report[], seed: number, host: Host): string {
  const rows = reports.flatMap(({ benchmark: { id, kind, what: benchmark }, rows }) =>
    rows.map((row) =>
      'failure' in row
        ? { id, kind, benchmark, what: row.what, verdict: 'failed', failure: row.failure }
        : { id, kind, benchmark, what: row.what, ...row.result, verdict: row.verdict },
    ),
  );
  return `${JSON.stringify({ seed, host, rows }, null, 2)}\n`;
}
