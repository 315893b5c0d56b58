import type { SizeReport, SizeRow } from './size-report.js';
import { plural, rounded, timeText } from './size-words.js';

const BAR = 30;
const MOST_NAMES = 12;

/** The report for a terminal: what the numbers are, a row with a bar for each pool size, and the recommendation. */
export function sizeText(report: SizeReport, { quiet = false }: { readonly quiet?: boolean } = {}): string {
  const parts = [facts(report), table(report)];
  if (!quiet) {
    if (report.assumptions.length > 0) parts.push(listed('Assumed', report.assumptions));
    parts.push(listed('Notes', report.notes));
  }
  parts.push(`${report.summary}\n`);
  return parts.join('\n');
}

function facts(report: SizeReport): string {
  const { unit, buildBudget, width } = report;
  const lines: [string, string, string][] = [
    ['releasing', String(report.releasing), `of ${plural(report.packages, 'package')}`],
    ['level width', String(report.levelWidth), 'most builds of equal depth'],
    ['width', String(width), `most tasks that can ever be ready at once: ${names(report.widest, ', ')}`],
    ['peak', String(report.peak), 'most builds at once with these durations'],
    ['lower bound', timeText(report.lowerBound, unit), `longest chain: ${names(report.longestChain, ' → ')}`],
  ];
  if (buildBudget !== null)
    lines.push(['build budget', String(buildBudget), '`concurrency` in the dispat configuration']);
  for (const { platform, width: own, recommended } of report.platforms) {
    lines.push([platform, String(own), `width of this platform alone; ${plural(recommended, 'worker')} worth having`]);
  }
  const wide = widest(lines.map(([label]) => label));
  const numbers = widest(lines.map(([, value]) => value));
  return lines
    .map(([label, value, what]) => `${label.padEnd(wide)}  ${value.padStart(numbers)}  ${what}\n`.replace(/ +\n/, '\n'))
    .join('');
}

function names(all: readonly string[], between: string): string {
  if (all.length <= MOST_NAMES) return all.join(between);
  return `${all.slice(0, MOST_NAMES).join(between)}${between}… (${all.length})`;
}

function table(report: SizeReport): string {
  const shown = rowsWorthShowing(report.rows);
  const longest = Math.max(...report.rows.map(({ time }) => time), Number.MIN_VALUE);
  const cells = shown.map((row) => cellsOf(row, report));
  const headings = ['workers', 'time', 'speed-up', 'saved', 'used', 'worker-min', 'longest wait'];
  const paid = report.rows.some(({ workerMinutes }) => workerMinutes !== null);
  const kept = headings.map((_, index) => paid || headings[index] !== 'worker-min');
  const pick = (row: readonly string[]): string[] => row.filter((_, index) => kept[index]);
  const all = [pick(headings), ...cells.map(pick)];
  const widths = all[0]?.map((_, column) => widest(all.map((row) => row[column] ?? ''))) ?? [];
  const lines = all.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  const out = lines.map((line, index) => {
    const row = shown[index - 1];
    return row === undefined ? `${line}\n` : `${line}  ${barOf(row.time / longest)}${markOf(row)}\n`;
  });
  const left = report.rows.length - shown.length;
  const last = report.rows.at(-1);
  if (left > 0 && last !== undefined) out.push(`${plural(left, 'larger size')}, up to ${last.n}: the same time\n`);
  return out.join('');
}

/** All rows but those at the end, if they are several, that repeat the time of the one before and say nothing new. */
function rowsWorthShowing(rows: readonly SizeRow[]): readonly SizeRow[] {
  let end = rows.length;
  while (end > 1 && rows[end - 1]?.time === rows[end - 2]?.time && rows[end - 1]?.knee !== true) end--;
  return rows.length - end > 2 ? rows.slice(0, end + 1) : rows;
}

function cellsOf(row: SizeRow, { unit }: SizeReport): string[] {
  return [
    String(row.n),
    timeText(row.time, unit),
    row.speedUp.toFixed(2),
    row.n === 1 ? '' : signed(row.saved, unit),
    `${Math.round(row.utilisation * 100)} %`,
    row.workerMinutes === null ? '' : rounded(row.workerMinutes, 1),
    timeText(row.longestGap, unit),
  ];
}

function signed(value: number, unit: SizeReport['unit']): string {
  return value < 0 ? `-${timeText(-value, unit)}` : timeText(value, unit);
}

function barOf(share: number): string {
  return '█'.repeat(Math.max(1, Math.round(share * BAR)));
}

function markOf({ knee, bound, rise }: SizeRow): string {
  const marks = [...(knee ? ['knee'] : []), ...(bound ? ['bound'] : []), ...(rise ? ['rises'] : [])];
  return marks.length === 0 ? '' : ` ◀ ${marks.join(', ')}`;
}

function listed(title: string, items: readonly string[]): string {
  return `${title}:\n${items.map((item) => `  - ${item}\n`).join('')}`;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

const CSV_COLUMNS = [
  'n',
  'time',
  'lowerBound',
  'speedUp',
  'saved',
  'utilisation',
  'workerMinutes',
  'longestGap',
  'bound',
  'knee',
  'rise',
] as const satisfies readonly (keyof SizeRow)[];

/** The rows as comma-separated values, with their names first; a value nobody knows is empty. */
export function sizeCsv({ rows }: SizeReport): string {
  const lines = rows.map((row) => CSV_COLUMNS.map((column) => csvValue(row[column])).join(','));
  return `${[CSV_COLUMNS.join(','), ...lines].join('\n')}\n`;
}

function csvValue(value: number | boolean | null): string {
  if (value === null) return '';
  return typeof value === 'number' ? rounded(value, 6) : String(value);
}
