import type { CallCount, IncidentSeen, SoakResult, Waits } from './result.js';

/** A table's cells, the first row its titles. */
type Table = readonly (readonly string[])[];

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const rounded = (value: number): string => (value < 100 ? value.toFixed(1) : grouped(value));
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** For a terminal, at most 80 columns wide. */
export function reportText(result: SoakResult): string {
  const { hours, seed, violations } = result;
  const parts = [
    `${grouped(hours)} hours, seed ${seed}`,
    laidOut(totals(result)),
    `Seconds until a job has its runner\n${laidOut(waitsTable(result))}`,
    `Calls\n${laidOut(callsTable(result))}`,
    ...(result.incidents.length > 0 ? [`Incidents\n${laidOut(incidentsTable(result))}`] : []),
    ...(result.host ? [`Memory\n${laidOut(memoryTable(result))}`] : []),
    violations.length === 0 ? 'Nothing was that must not be.' : violations.map(violationLine).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** For a page. */
export function reportMarkdown(result: SoakResult): string {
  return [
    markdown(totals(result)),
    '### Waits\n\nSeconds from the moment a job is queued until it has a runner.',
    markdown(waitsTable(result)),
    '### Calls',
    markdown(callsTable(result)),
    '### Incidents\n\nWith the waits, in seconds, of the jobs that met them.',
    markdown(incidentsTable(result)),
    ...(result.host
      ? [
          `### Memory\n\nOf the process, after a collection, at each midnight. Both are in it: the daemon and the simulated world.`,
          markdown(memoryTable(result)),
        ]
      : []),
  ].join('\n\n');
}

function totals({ jobs, machines, byHour, faults, daemons, violations, host, steps }: SoakResult): Table {
  const struck = Object.values(faults).reduce((sum, count) => sum + count, 0);
  return [
    ['', ''],
    ['Jobs queued', `${grouped(jobs.queued)}, at most ${grouped(Math.max(0, ...byHour.jobs))} in an hour`],
    ['cancelled; run again after a reclaim', `${grouped(jobs.cancelled)}; ${grouped(jobs.reclaimed)}`],
    ['Machines made', `${grouped(machines.made)}, at most ${grouped(machines.most)} at once`],
    ['Machine-hours', grouped(machines.hours)],
    ['with a job', percent(machines.busyShare)],
    ['connected and idle', percent(machines.idleShare)],
    ['booting or going away', percent(machines.otherShare)],
    ['Faults besides the incidents', grouped(struck)],
    ['Daemons, one after another', grouped(daemons)],
    ...(host ? [['CPU time', `${grouped(host.cpuSeconds)} s for ${grouped(steps)} steps on Node ${host.node}`]] : []),
    ['Violations', String(violations.length)],
  ];
}

function waitsTable({ waits }: SoakResult): Table {
  const row = (name: string, one: Waits | undefined): readonly string[][] => (one ? [[name, ...waitCells(one)]] : []);
  return [
    ['', 'jobs', 'p50', 'p90', 'p95', 'p99', 'max'],
    ...row('All', waits.all),
    ...row('Outside incidents', waits.calm),
    ...row('During incidents', waits.incidents),
    ...Object.entries(waits.byScaleSet).flatMap(([name, one]) => row(name, one)),
  ];
}

const waitCells = ({ count, p50, p90, p95, p99, max }: Waits): string[] => [
  grouped(count),
  ...[p50, p90, p95, p99, max].map(rounded),
];

function callsTable({ calls, hours, jobs }: SoakResult): Table {
  const row = ({ who, kind, total, mostInAnHour }: CallCount): string[] => [
    `${who === 'github' ? 'GitHub' : who}: ${kind}`,
    grouped(total),
    rounded(total / hours),
    grouped(mostInAnHour),
    (total / Math.max(1, jobs.queued)).toFixed(2),
  ];
  return [['', 'calls', 'an hour', 'most in an hour', 'a job'], ...calls.map(row)];
}

function incidentsTable({ incidents }: SoakResult): Table {
  const row = ({ what, from, minutes, waits }: IncidentSeen, index: number): string[] => [
    `${index + 1}. ${timeOf(from)}`,
    upper(what),
    `${minutes} min`,
    ...(waits ? [waits.p50, waits.p99, waits.max].map(rounded) : ['', '', '']),
  ];
  return [['', '', 'for', 'p50', 'p99', 'max'], ...incidents.map(row)];
}

/** As `Mon 14:20`. */
function timeOf(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${DAYS[Math.floor(minutes / 1440) % 7]} ${two((minutes % 1440) / 60)}:${two(minutes % 60)}`;
}

function memoryTable({ host }: SoakResult): Table {
  const memory = host?.memory ?? [];
  const first = memory.find(({ day }) => day > 0);
  const last = memory.at(-1);
  const rows = memory.map(({ day, heapMiB, rssMiB }) => [
    day === 0 ? 'Start' : `After day ${day}`,
    heapMiB.toFixed(1),
    rssMiB.toFixed(1),
  ]);
  const ratio = (of: 'heapMiB' | 'rssMiB'): string => (first && last ? (last[of] / first[of]).toFixed(2) : '');
  const growth = first && last && first !== last ? [['Last by first midnight', ratio('heapMiB'), ratio('rssMiB')]] : [];
  return [['', 'heap, MiB', 'resident, MiB'], ...rows, ...growth];
}

const violationLine = ({ at, rule, subject, what }: SoakResult['violations'][number]): string =>
  `${timeOf(at / 60_000)}  ${rule}: ${subject}: ${what}`;

function laidOut(table: Table): string {
  const widths = columnsOf(table).map((cells) => Math.max(...cells.map(({ length }) => length)));
  const isText = textColumns(table);
  return table
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) =>
      row
        .map((cell, at) => (isText[at] ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join('\n');
}

function markdown(table: Table): string {
  const [titles = [], ...rows] = table;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = `|${textColumns(table)
    .map((isText) => (isText ? '---' : '---:'))
    .join('|')}|`;
  return [line(titles), rule, ...rows.map(line)].join('\n');
}

const columnsOf = (table: Table): string[][] => (table[0] ?? []).map((_, at) => table.map((row) => row[at] ?? ''));

/** Which columns are words: the others are numbers, and stand to the right. */
const textColumns = (table: Table): boolean[] =>
  columnsOf(table.slice(1)).map((cells, at) => at === 0 || cells.some((cell) => /^[A-Za-z]/.test(cell)));
