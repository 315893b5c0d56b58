import type { DaemonAnswer, ScaleSetAnswer, StatusAnswer } from '../control/answers.js';
import { type FieldEntry, fieldLines } from './fields.js';
import { type ListColumn, listTable, type SortOrder, sorted } from './listing.js';
import { PROVIDER_COLUMNS, providerNotes } from './providers.js';
import { RUNNER_COLUMNS, unlistedNotes } from './runners.js';
import { SCALE_SET_COLUMNS, scaleSetNotes } from './scale-sets.js';
import { sectionTitle, type View } from './view.js';
import { age, localTime, machineTime, plural, span } from './words.js';

/** How the tables of the report are laid out. */
export interface StatusTables {
  readonly wide: boolean;
  readonly headers: boolean;
}

/** Every column that one of the tables can be sorted by. */
export const STATUS_COLUMNS: readonly Pick<ListColumn<never>, 'title'>[] = [
  ...SCALE_SET_COLUMNS,
  ...PROVIDER_COLUMNS,
  ...RUNNER_COLUMNS,
];

/** The same status with each list that has the column in that order. */
export function sortedStatus(status: StatusAnswer, sort: SortOrder | undefined, view: View): StatusAnswer {
  const { scale_sets: scaleSets, providers, runners } = status;
  return {
    ...status,
    ...(scaleSets && { scale_sets: sorted(scaleSets, SCALE_SET_COLUMNS, sort, view) }),
    ...(providers && { providers: sorted(providers, PROVIDER_COLUMNS, sort, view) }),
    ...(runners && { runners: sorted(runners, RUNNER_COLUMNS, sort, view) }),
  };
}

/** The whole report of `rungar status`, line by line. */
export function statusLines(
  status: StatusAnswer,
  view: View,
  tables: StatusTables = { wide: false, headers: true },
): string[] {
  const { daemon = {}, scale_sets: scaleSets = [], providers = [], runners = [] } = status;
  const most = scaleSets.reduce((sum, one) => sum + (one.max_runners ?? 0), 0);
  const section = <Row>(
    title: string,
    rows: readonly Row[],
    columns: readonly ListColumn<Row>[],
    notes: readonly string[],
  ): string[] => [
    sectionTitle(title, rows.length, view),
    ...(rows.length === 0 ? [`  ${view.style.dim('none')}`] : listTable(rows, columns, { ...tables, indent: 2 }, view)),
    ...notes.map((note) => `  ${note}`),
    '',
  ];
  return [
    `${view.style.cyan('Rungar')} ${daemon.version ?? ''}`.trimEnd(),
    '',
    ...daemonFields(status, view),
    '',
    ...section('Scale sets', scaleSets, SCALE_SET_COLUMNS, scaleSetNotes(scaleSets, view)),
    ...section('Providers', providers, PROVIDER_COLUMNS, providerNotes(providers, view)),
    ...section('Runners', runners, RUNNER_COLUMNS, unlistedNotes(status, view)),
    `${plural(runners.length, 'runner')} of at most ${most}`,
  ];
}

function daemonFields({ daemon = {}, scale_sets: scaleSets }: StatusAnswer, { style, now }: View): string[] {
  const { github = {} } = daemon;
  const started = daemon.start_time ? Date.parse(daemon.start_time) : undefined;
  const credentials = github.error
    ? [github.credentials ?? '-', style.red(github.error)]
    : [github.credentials ? `${github.credentials} ${style.green('OK')}` : '-'];
  return fieldLines(
    [
      ['GitHub', [`${github.url ?? '-'} (${github.scope ?? '-'})`]],
      ['Credentials', credentials],
      ...standingFields(github, { style, now }),
      ['Installation', [daemon.installation ?? '-']],
      ['Running', [started === undefined ? '-' : `since ${localTime(started)} (${age(now - started)})`]],
      ...machineField(scaleSets),
      ['Configuration', [daemon.config_file ?? '-']],
      ...(daemon.events_error ? [['Events', [style.red(daemon.events_error)]] as const] : []),
    ],
    style,
  );
}

/** Below this share of what may be asked in a window it is said in red; so is a token that ends sooner than this. */
const SCARCE = 0.1;
const SOON_MS = 14 * 24 * 3_600_000;

/** How the daemon stands with GitHub: what it may still ask, and until when its tokens are good. */
function standingFields(
  {
    rate_limit: rate,
    token_expire_time: token,
    credential_expire_time: credential,
  }: NonNullable<DaemonAnswer['github']>,
  { style, now }: View,
): FieldEntry[] {
  const fields: FieldEntry[] = [];
  const left = (at: string): number => Date.parse(at) - now;
  if (rate) {
    const { remaining = 0, limit = 0, reset_time: reset } = rate;
    const text = `${remaining} of ${limit} requests left${reset ? `, all again in ${span(Math.max(0, left(reset)))}` : ''}`;
    fields.push(['Rate limit', [remaining < limit * SCARCE ? style.red(text) : text]]);
  }
  if (token !== undefined) fields.push(['Token', [`ends ${localTime(Date.parse(token))}, renewed before`]]);
  if (credential !== undefined) {
    const text = `ends ${localTime(Date.parse(credential))} (in ${age(Math.max(0, left(credential)))}): make a new one before`;
    fields.push(['Token', [left(credential) < SOON_MS ? style.red(text) : text]]);
  }
  return fields;
}

function machineField(scaleSets: readonly ScaleSetAnswer[] = []): FieldEntry[] {
  const counted = scaleSets.flatMap(({ machine_hours: hours }) => hours ?? []);
  return counted.length === 0 ? [] : [['Machines', [machineTime(counted.reduce((sum, hours) => sum + hours, 0))]]];
}
