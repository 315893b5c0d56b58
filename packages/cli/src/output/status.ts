import type { ProviderAnswer, RunnerAnswer, ScaleSetAnswer, StatusAnswer } from '../control/answers.js';
import type { Style } from './style.js';
import { type Column, table } from './table.js';
import { age, enumWords, localTime, plural, span, wait } from './words.js';

/** How and where the report is shown. */
export interface StatusView {
  readonly style: Style;
  /** The terminal's columns; unset shows every column of every table. */
  readonly width?: number;
  /** Epoch milliseconds, to tell ages. */
  readonly now: number;
}

/** The whole report of `rungar status`, line by line. */
export function statusLines(status: StatusAnswer, view: StatusView): string[] {
  const {
    daemon = {},
    scale_sets: scaleSets = [],
    providers = [],
    runners = [],
    unreachable_providers: unreachable = {},
  } = status;
  return [
    `${view.style.cyan('Rungar')} ${daemon.version ?? ''}`.trimEnd(),
    '',
    ...daemonFields(status, view),
    '',
    ...section('Scale sets', scaleSets.length, view, scaleSetSection(scaleSets, view)),
    '',
    ...section('Providers', providers.length, view, providerSection(providers, view)),
    '',
    ...section('Runners', runners.length, view, runnerSection(runners, unreachable, view)),
    '',
    `${plural(runners.length, 'runner')} of at most ${scaleSets.reduce((sum, one) => sum + (one.max_runners ?? 0), 0)}`,
  ];
}

function section(title: string, count: number, { style }: StatusView, lines: readonly string[]): string[] {
  return [`${style.bold(title)} ${style.dim(`(${count})`)}`, ...lines];
}

function daemonFields({ daemon = {} }: StatusAnswer, { style, now }: StatusView): string[] {
  const { github = {} } = daemon;
  const started = daemon.start_time ? Date.parse(daemon.start_time) : undefined;
  const credentials = github.error
    ? [github.credentials ?? '-', style.red(github.error)]
    : [github.credentials ? `${github.credentials} ${style.green('OK')}` : '-'];
  return fields(
    [
      ['GitHub', [`${github.url ?? '-'} (${github.scope ?? '-'})`]],
      ['Credentials', credentials],
      ['Installation', [daemon.installation ?? '-']],
      ['Running', [started === undefined ? '-' : `since ${localTime(started)} (${age(now - started)})`]],
      ['Configuration', [daemon.config_file ?? '-']],
      ...(daemon.events_error ? [['Events', [style.red(daemon.events_error)]] as const] : []),
    ],
    style,
  );
}

/** `label: value`, labels right-aligned; further values stand under the first. */
function fields(entries: readonly (readonly [label: string, values: readonly string[]])[], style: Style): string[] {
  const width = Math.max(...entries.map(([label]) => label.length));
  return entries.flatMap(([label, values]) =>
    values.map((value, at) =>
      at === 0 ? `${style.dim(`${label.padStart(width)}:`)} ${value}` : `${' '.repeat(width + 2)}${value}`,
    ),
  );
}

const SCALE_SET_COLUMNS: readonly Column[] = [
  { title: 'SCALE SET' },
  { title: 'STATUS' },
  { title: 'PROVIDERS', expendable: 2 },
  { title: 'LABELS', expendable: 4 },
  { title: 'RUNNER', expendable: 3 },
  { title: 'RUNNERS' },
  { title: 'DESIRED' },
  { title: 'MIN', expendable: 1 },
  { title: 'MAX', expendable: 1 },
  { title: 'PRIORITY', expendable: 5 },
];

function scaleSetSection(scaleSets: readonly ScaleSetAnswer[], view: StatusView): string[] {
  if (scaleSets.length === 0) return [`  ${view.style.dim('none')}`];
  const rows = scaleSets.map((one) => {
    const providers = one.providers ?? [];
    return [
      view.style.cyan(one.name ?? ''),
      scaleSetStatus(one, view.style).word,
      providers.length > 1 ? `${providers.join(',')} (${one.placement})` : providers.join(','),
      view.style.cyan((one.labels ?? []).join(',')),
      [...new Set((one.runner_sizes ?? []).map((size) => size.description ?? ''))].filter(Boolean).join('; ') || '-',
      runnerCount(one),
      String(one.desired_runners ?? 0),
      String(one.min_runners ?? 0),
      String(one.max_runners ?? 0),
      String(one.priority ?? 0),
    ];
  });
  const notes = scaleSets.flatMap((one) => {
    const { note } = scaleSetStatus(one, view.style);
    return note ? [`  ${one.name}: ${note}${nextTry(one.retry_at, view.now)}`] : [];
  });
  return [...sectionTable(SCALE_SET_COLUMNS, rows, view), ...notes];
}

/** `, next try in 12s`, or nothing where none is due. */
function nextTry(at: string | undefined, now: number): string {
  return at ? `, next try in ${span(Math.max(0, Date.parse(at) - now))}` : '';
}

function sectionTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { style, width }: StatusView,
): string[] {
  return table(columns, rows, { indent: 2, header: style.bold, ...(width !== undefined && { width }) });
}

/** The word for a scale set's state, and what to say beside it. */
function scaleSetStatus(one: ScaleSetAnswer, style: Style): { word: string; note: string } {
  if (!one.configured) return { word: style.yellow('LEFTOVER'), note: 'not in the configuration, but it has runners' };
  if (one.paused) {
    const left = one.fleet_runners ? `; ${plural(one.fleet_runners, 'runner')} left` : '';
    return {
      word: style.yellow('PAUSED'),
      note: `takes no jobs, they wait on GitHub${left}${one.configured_paused ? '' : '; until resumed or restarted'}`,
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

/** `4 (1 busy, 2 starting)`: idle ones are never named. */
function runnerCount(one: ScaleSetAnswer): string {
  const { starting = 0, idle = 0, busy = 0 } = one.runner_counts ?? {};
  const parts = [busy && `${busy} busy`, starting && `${starting} starting`].filter(Boolean);
  const total = one.runner_counts ? starting + idle + busy : (one.fleet_runners ?? 0);
  return parts.length > 0 ? `${total} (${parts.join(', ')})` : String(total);
}

const PROVIDER_COLUMNS: readonly Column[] = [
  { title: 'PROVIDER' },
  { title: 'TYPE' },
  { title: 'STATUS' },
  { title: 'RUNNERS' },
];

function providerSection(providers: readonly ProviderAnswer[], view: StatusView): string[] {
  if (providers.length === 0) return [`  ${view.style.dim('none')}`];
  const rows = providers.map((one) => [
    one.name ?? '',
    one.type ?? '',
    providerStatus(one, view.style),
    one.max_runners ? `${one.runner_count ?? 0}/${one.max_runners}` : String(one.runner_count ?? 0),
  ]);
  const unreachable = providers.flatMap((one) => (one.error ? [`  ${one.name}: ${view.style.red(one.error)}`] : []));
  const troubles = providers.flatMap((one) =>
    one.state_reason ? [`  ${one.name}: ${one.state_reason}${nextTry(one.retry_at, view.now)}`] : [],
  );
  const skips = providers.flatMap((one) =>
    (one.scale_sets ?? []).flatMap((use) =>
      use.backoff_for ? [`  ${use.scale_set} skips ${one.name}: ${skipReason(use)}`] : [],
    ),
  );
  return [...sectionTable(PROVIDER_COLUMNS, rows, view), ...unreachable, ...troubles, ...skips];
}

function skipReason(use: NonNullable<ProviderAnswer['scale_sets']>[number]): string {
  const why = use.full ? 'full' : (use.refusals ?? 0) > 1 ? `failing (${use.refusals} in a row)` : 'failing';
  return `${why}, next try in ${wait(use.backoff_for)}${use.refusal ? `: ${use.refusal}` : ''}`;
}

function providerStatus(one: ProviderAnswer, style: Style): string {
  if (!one.reachable) return style.red('UNREACHABLE');
  const restart = one.disabled !== one.configured_disabled && one.disabled ? ' until the daemon restarts' : '';
  if (one.disabled && one.runner_count)
    return `${style.yellow('DRAINING')} ${plural(one.runner_count, 'runner')} left${restart}`;
  if (one.disabled) return `${style.yellow('DISABLED')}${restart}`;
  if (one.hold)
    return `${style.yellow('HELD')} for ${one.hold.scale_set} (priority ${one.hold.priority ?? 0}), ${wait(one.hold.remaining)} left`;
  return one.configured_disabled ? `${style.green('OK')} enabled until the daemon restarts` : style.green('OK');
}

const RUNNER_COLUMNS: readonly Column[] = [
  { title: 'RUNNER' },
  { title: 'SCALE SET', expendable: 4 },
  { title: 'PROVIDER', expendable: 2 },
  { title: 'STATE' },
  { title: 'MACHINE', expendable: 3 },
  { title: 'GITHUB', expendable: 2 },
  { title: 'AGE', expendable: 1 },
  { title: 'JOB', expendable: 1 },
];

/** The table of runners, and a line for each provider that could not be listed. */
function runnerSection(
  runners: readonly RunnerAnswer[],
  unreachable: Readonly<Record<string, string>>,
  view: StatusView,
): string[] {
  const { style, now } = view;
  const notes = Object.entries(unreachable).map(
    ([provider, why]) => `  ${provider} could not be listed: ${style.red(why)}`,
  );
  if (runners.length === 0) return [`  ${style.dim('none')}`, ...notes];
  const rows = runners.map((one) => [
    one.name ?? '',
    one.scale_set ?? '',
    one.provider || '-',
    stateWord(enumWords(one.state, 'RUNNER_STATE_'), style),
    stateWord(enumWords(one.machine_state, 'MACHINE_STATE_'), style),
    stateWord(enumWords(one.github_status, 'RUNNER_GITHUB_STATUS_'), style),
    age(one.create_time ? now - Date.parse(one.create_time) : undefined),
    jobName(one),
  ]);
  return [...sectionTable(RUNNER_COLUMNS, rows, view), ...notes];
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
