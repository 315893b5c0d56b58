import type { RunnerAnswer } from '../control/answers.js';
import type { ListColumn } from './listing.js';
import type { Style } from './style.js';
import type { View } from './view.js';
import { age, enumWords } from './words.js';

/** When a runner was created, in epoch milliseconds. */
export function createdAt({ create_time: at }: RunnerAnswer): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}

export const RUNNER_COLUMNS: readonly ListColumn<RunnerAnswer>[] = [
  { title: 'RUNNER', cell: ({ name }) => name ?? '' },
  { title: 'SCALE SET', expendable: 4, cell: (one) => one.scale_set ?? '' },
  { title: 'PROVIDER', expendable: 2, cell: ({ provider }) => provider || '-', sortKey: (one) => one.provider },
  { title: 'STATE', cell: ({ state }, { style }) => stateWord(runnerState(state), style), sortKey: (one) => one.state },
  {
    title: 'MACHINE',
    expendable: 3,
    cell: (one, { style }) => stateWord(enumWords(one.machine_state, 'MACHINE_STATE_'), style),
    sortKey: (one) => one.machine_state,
  },
  {
    title: 'GITHUB',
    expendable: 2,
    cell: (one, { style }) => stateWord(enumWords(one.github_status, 'RUNNER_GITHUB_STATUS_'), style),
    sortKey: (one) => one.github_status,
  },
  {
    title: 'AGE',
    expendable: 1,
    cell: (one, { now }) => age(ageOf(one, now)),
    sortKey: (one) => negated(createdAt(one)),
  },
  { title: 'JOB', expendable: 1, cell: jobName, sortKey: (one) => (one.job ? jobName(one) : undefined) },
  { title: 'CREATED', wide: true, cell: (one) => one.create_time ?? '-', sortKey: createdAt },
  { title: 'VERSION', wide: true, cell: ({ version }) => version || '-', sortKey: ({ version }) => version },
  { title: 'JOB ID', wide: true, cell: ({ job }) => job?.id || '-', sortKey: ({ job }) => job?.id },
  {
    title: 'RUN',
    wide: true,
    cell: ({ job }) => job?.workflow_run_id || '-',
    sortKey: ({ job }) => job?.workflow_run_id,
  },
  {
    title: 'WORKFLOW',
    wide: true,
    cell: ({ job }) => job?.workflow_ref || '-',
    sortKey: ({ job }) => job?.workflow_ref,
  },
];

/** `Starting`, `Idle`, `Busy` or `-`. */
export function runnerState(state: string | undefined): string {
  return enumWords(state, 'RUNNER_STATE_');
}

/** A line for each provider that could not be listed, and one where GitHub could not be asked. */
export function unlistedNotes(
  {
    unreachable_providers: unreachable = {},
    github_error: github,
  }: {
    readonly unreachable_providers?: Readonly<Record<string, string>>;
    readonly github_error?: string;
  },
  { style }: View,
): string[] {
  return [
    ...Object.entries(unreachable).map(([provider, why]) => `${provider} could not be listed: ${style.red(why)}`),
    ...(github ? [`GitHub could not be asked: ${style.red(github)}`] : []),
  ];
}

export function ageOf(one: RunnerAnswer, now: number): number | undefined {
  const at = createdAt(one);
  return at === undefined ? undefined : now - at;
}

function negated(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}

function jobName({ job }: RunnerAnswer): string {
  if (!job) return '-';
  const name = job.display_name || job.id || '';
  return job.repository ? `${job.repository}: ${name}` : name || '-';
}

function stateWord(word: string, style: Style): string {
  switch (word) {
    case 'Idle':
    case 'Busy':
    case 'Running':
      return style.green(word);
    case 'Starting':
    case 'Stopped':
    case 'Offline':
      return style.yellow(word);
    case 'Not registered':
      return style.red(word);
    default:
      return word;
  }
}
