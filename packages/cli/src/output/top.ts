import { type ListColumn, listTable } from './listing.js';
import type { TopDocument, TopJob, TopRunner, TopScaleSet } from './top-document.js';
import { sectionTitle, type View } from './view.js';
import { age, localTime, plural, span } from './words.js';

const SCALE_SETS: readonly ListColumn<TopScaleSet>[] = [
  { title: 'SCALE SET', cell: ({ name }, { style }) => style.cyan(name) },
  { title: 'STATUS', cell: ({ status }, { style }) => (status === 'LISTENING' ? style.green : style.yellow)(status) },
  { title: 'JOBS', expendable: 1, cell: (one) => String(one.assigned_jobs) },
  { title: 'WAITING', cell: (one, { style }) => alarm(one.waiting_jobs, style.yellow) },
  { title: 'LONGEST', cell: (one) => seconds(one.longest_wait_seconds) },
  { title: 'STARTING', cell: ({ starting }) => String(starting) },
  { title: 'IDLE', cell: ({ idle }) => String(idle) },
  { title: 'BUSY', cell: ({ busy }) => String(busy) },
  { title: 'WANTED', expendable: 2, cell: (one) => `${one.desired_runners}/${one.max_runners}` },
];

const PROVIDERS: readonly ListColumn<TopDocument['providers'][number]>[] = [
  { title: 'PROVIDER', cell: ({ name }) => name },
  { title: 'STATUS', cell: ({ status }, { style }) => (status === 'OK' ? style.green : style.yellow)(status) },
  { title: 'RUNNERS', cell: ({ runners }) => runners },
];

const JOBS: readonly ListColumn<TopJob>[] = [
  { title: 'WAITS', cell: (one) => seconds(one.wait_seconds) },
  { title: 'SCALE SET', cell: (one, { style }) => style.cyan(one.scale_set) },
  { title: 'JOB', cell: ({ repository, name }) => [repository, name].filter(Boolean).join(': ') },
];

const RUNNERS: readonly ListColumn<TopRunner>[] = [
  { title: 'RUNNER', cell: ({ name }) => name },
  { title: 'PROVIDER', expendable: 2, cell: ({ provider }) => provider || '-' },
  { title: 'STATE', cell: ({ state }, { style }) => (state === 'Starting' ? style.yellow : style.green)(state) },
  { title: 'AGE', cell: (one) => age(ms(one.age_seconds)) },
  { title: 'RUNS', expendable: 3, cell: (one) => seconds(one.job_seconds) },
  { title: 'JOB', expendable: 1, cell: ({ job }) => job || '-' },
];

/** The view line by line, the most urgent first; a screen that is too small shows how far it comes. */
export function topLines(document: TopDocument, view: View): string[] {
  const { scale_sets: scaleSets, providers, backoffs, waiting_jobs: jobs, runners, unanswered } = document;
  const table = <Row>(rows: readonly Row[], columns: readonly ListColumn<Row>[]): string[] =>
    rows.length === 0 ? [] : ['', ...listTable(rows, columns, { wide: false, headers: true }, view)];
  return [
    headline(document, view),
    ...Object.entries(unanswered).map(([who, why]) => `${who} does not answer: ${view.style.red(why)}`),
    ...table(scaleSets, SCALE_SETS),
    ...table(providers, PROVIDERS),
    ...(backoffs.length === 0 ? [] : ['', sectionTitle('Back-offs', backoffs.length, view)]),
    ...backoffs.map(({ who, why, next_try_seconds: next }) => `  ${span(next * 1000).padStart(6)}  ${who}: ${why}`),
    ...table(jobs, JOBS),
    ...table(runners, RUNNERS),
  ];
}

function headline({ time, version, scale_sets: scaleSets }: TopDocument, { style }: View): string {
  const sum = (of: (one: TopScaleSet) => number): number => scaleSets.reduce((total, one) => total + of(one), 0);
  const [starting, idle, busy] = [sum((one) => one.starting), sum((one) => one.idle), sum((one) => one.busy)];
  const waiting = sum((one) => one.waiting_jobs);
  const queue = waiting === 0 ? 'no job waits' : style.yellow(plural(waiting, 'job waits', 'jobs wait'));
  const counts = `${busy} busy, ${idle} idle, ${starting} starting`;
  return `${style.bold(`Rungar ${version}`.trimEnd())}  ${localTime(Date.parse(time))}  ${counts}; ${queue}`;
}

function alarm(count: number, paint: (text: string) => string): string {
  return count === 0 ? '0' : paint(String(count));
}

function seconds(value: number | null): string {
  return value === null ? '-' : span(value * 1000);
}

function ms(value: number | null): number | undefined {
  return value === null ? undefined : value * 1000;
}
