import type { ScaleSetAnswer } from '../control/answers.js';
import { endOf } from './by-hand.js';
import type { ListColumn } from './listing.js';
import { endInWords, isUrgent } from './runner-versions.js';
import type { Style } from './style.js';
import type { View } from './view.js';
import { nextTry, plural } from './words.js';

type Columns = readonly ListColumn<ScaleSetAnswer>[];

const NAME = {
  cell: (one: ScaleSetAnswer, { style }: View) => style.cyan(one.name ?? ''),
  sortKey: (one: ScaleSetAnswer) => one.name,
};
const STATUS = {
  title: 'STATUS',
  cell: (one: ScaleSetAnswer, { style }: View) => scaleSetStatus(one, style).word,
  sortKey: (one: ScaleSetAnswer) => scaleSetStatus(one, PLAIN).word,
};

/** Colours nothing. */
const PLAIN: Style = { bold: String, dim: String, cyan: String, red: String, green: String, yellow: String };

/** A column of a number that is zero where it is absent. */
function count(title: string, of: (one: ScaleSetAnswer) => number | undefined): ListColumn<ScaleSetAnswer> {
  return { title, cell: (one) => String(of(one) ?? 0), sortKey: (one) => of(one) ?? 0 };
}

const LABELS: ListColumn<ScaleSetAnswer> = {
  title: 'LABELS',
  cell: ({ labels = [] }, { style }) => style.cyan(labels.join(',')),
  sortKey: ({ labels = [] }) => labels.join(','),
};

const MACHINE_HOURS: ListColumn<ScaleSetAnswer> = {
  title: 'MACHINE HOURS',
  wide: true,
  cell: ({ machine_hours: hours = 0 }) => hours.toFixed(1),
  sortKey: ({ machine_hours: hours = 0 }) => hours,
};

/** As `status` shows them. */
export const SCALE_SET_COLUMNS: Columns = [
  { title: 'SCALE SET', ...NAME },
  STATUS,
  { title: 'PROVIDERS', expendable: 2, cell: providersOf },
  { ...LABELS, expendable: 4 },
  { title: 'RUNNER', expendable: 3, cell: sizesOf },
  { title: 'RUNNERS', cell: runnerCount, sortKey: runnerTotal },
  count('DESIRED', (one) => one.desired_runners),
  { ...count('MIN', (one) => one.min_runners), expendable: 1 },
  { ...count('MAX', (one) => one.max_runners), expendable: 1 },
  { ...count('PRIORITY', (one) => one.priority), expendable: 5 },
  MACHINE_HOURS,
];

/** As `scale-sets ls` shows them. */
export const LISTED_SCALE_SET_COLUMNS: Columns = [
  { title: 'NAME', ...NAME },
  STATUS,
  {
    title: 'ID',
    expendable: 3,
    cell: ({ github }) => github?.id ?? '-',
    sortKey: ({ github }) => numberOf(github?.id),
  },
  {
    title: 'GROUP',
    expendable: 2,
    cell: ({ github }) => github?.runner_group || '-',
    sortKey: ({ github }) => github?.runner_group,
  },
  count('RUNNERS', (one) => one.fleet_runners),
  statistic('ASSIGNED', (statistics) => statistics.assigned_jobs),
  statistic('RUNNING', (statistics) => statistics.running_jobs),
  statistic('IDLE', (statistics) => statistics.idle_runners),
  { ...count('DESIRED', (one) => one.desired_runners), wide: true },
  { ...count('MIN', (one) => one.min_runners), wide: true },
  { ...count('MAX', (one) => one.max_runners), wide: true },
  { title: 'PROVIDERS', wide: true, cell: (one) => providersOf(one) || '-' },
  { ...LABELS, wide: true },
  MACHINE_HOURS,
];

type Statistics = NonNullable<NonNullable<ScaleSetAnswer['github']>['statistics']>;

/** A number of GitHub's: `-` where it has none or could not be asked. */
function statistic(title: string, of: (statistics: Statistics) => number | undefined): ListColumn<ScaleSetAnswer> {
  const value = ({ github }: ScaleSetAnswer): number | undefined =>
    github?.found === true ? (of(github.statistics ?? {}) ?? 0) : undefined;
  return { title, cell: (one) => String(value(one) ?? '-'), sortKey: value };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** A line for each scale set about whose state there is something to say. */
export function scaleSetNotes(scaleSets: readonly ScaleSetAnswer[], { style, now }: View): string[] {
  return scaleSets.flatMap((one) => {
    const { note } = scaleSetStatus(one, style);
    const versions = (one.runner_versions ?? []).filter((use) => isUrgent(use, now));
    return [
      ...(note ? [`${one.name}: ${note}${nextTry(one.retry_at, now)}`] : []),
      ...versions.map((use) =>
        style.red(`${one.name}: version ${use.version} of the runner program ${endInWords(use)}`),
      ),
    ];
  });
}

/** Where it places runners, and how where there are several. */
function providersOf({ providers = [], placement }: ScaleSetAnswer): string {
  return providers.length > 1 ? `${providers.join(',')} (${placement})` : providers.join(',');
}

/** What its runners are, each size once. */
export function sizesOf({ runner_sizes: sizes = [] }: ScaleSetAnswer): string {
  return [...new Set(sizes.map((size) => size.description ?? ''))].filter(Boolean).join('; ') || '-';
}

/** The word for a scale set's state, and what to say beside it. */
export function scaleSetStatus(one: ScaleSetAnswer, style: Style): { word: string; note: string } {
  if (!one.configured) return { word: style.yellow('LEFTOVER'), note: 'not in the configuration, but it has runners' };
  if (one.paused) {
    const left = one.fleet_runners ? `; ${plural(one.fleet_runners, 'runner')} left` : '';
    const { pause_reason: reason, pause_until: until, pause_kept: kept } = one;
    const end = one.configured_paused ? '' : `; ${endOf({ reason, until, kept }, 'until resumed or restarted')}`;
    return {
      word: style.yellow('PAUSED'),
      note: `takes no jobs, they wait on GitHub${left}${end}`,
    };
  }
  if (one.holding_back_reason) return { word: style.yellow('HOLDING BACK'), note: one.holding_back_reason };
  const reason = one.state_reason ?? '';
  switch (one.phase) {
    case 'SCALE_SET_PHASE_LISTENING':
      return {
        word: style.green('LISTENING'),
        note: one.configured_paused ? 'resumed, although the configuration says paused' : reason,
      };
    case 'SCALE_SET_PHASE_WAITING_FOR_SESSION':
      return { word: style.yellow('WAITING'), note: reason || 'another session holds it' };
    case 'SCALE_SET_PHASE_WAITING_FOR_LEAD':
      return { word: style.yellow('WAITING'), note: reason || "stands by until this daemon holds the lead's session" };
    case 'SCALE_SET_PHASE_GITHUB_UNREACHABLE':
      return { word: style.red('UNREACHABLE'), note: reason || 'GitHub does not answer; being tried again' };
    case 'SCALE_SET_PHASE_FAILED':
      return { word: style.red('FAILED'), note: reason };
    default:
      return { word: style.yellow('STARTING'), note: reason || 'being looked up on GitHub, its runners being adopted' };
  }
}

/** Runners the daemon counts; until it serves, machines on the fleet. */
export function runnerTotal({ runner_counts: counts, fleet_runners: machines = 0 }: ScaleSetAnswer): number {
  return counts ? (counts.starting ?? 0) + (counts.idle ?? 0) + (counts.busy ?? 0) : machines;
}

/** `4 (1 busy, 2 starting)`: idle ones are never named. */
export function runnerCount(one: ScaleSetAnswer): string {
  const { starting = 0, busy = 0 } = one.runner_counts ?? {};
  const parts = [busy && `${busy} busy`, starting && `${starting} starting`].filter(Boolean);
  return parts.length > 0 ? `${runnerTotal(one)} (${parts.join(', ')})` : String(runnerTotal(one));
}
