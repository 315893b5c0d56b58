import type { ProviderAnswer } from '../control/answers.js';
import { endOf } from './by-hand.js';
import type { ListColumn } from './listing.js';
import type { Style } from './style.js';
import type { View } from './view.js';
import { nextTry, plural, wait } from './words.js';

type Columns = readonly ListColumn<ProviderAnswer>[];
/** What a scale set experiences at a provider. */
export type ProviderUse = NonNullable<ProviderAnswer['scale_sets']>[number];

const NAME: Pick<ListColumn<ProviderAnswer>, 'cell'> = { cell: ({ name }) => name ?? '' };
const SHARED: Columns = [
  { title: 'TYPE', cell: ({ type }) => type ?? '' },
  { title: 'STATUS', cell: (one, { style }) => providerStatus(one, style) },
  { title: 'RUNNERS', cell: providerRunners, sortKey: (one) => one.runner_count ?? 0 },
  {
    title: 'MACHINE HOURS',
    wide: true,
    cell: ({ machine_hours: hours = 0 }) => hours.toFixed(1),
    sortKey: ({ machine_hours: hours = 0 }) => hours,
  },
];

/** As `status` shows them. */
export const PROVIDER_COLUMNS: Columns = [{ title: 'PROVIDER', ...NAME }, ...SHARED];

/** As `providers ls` shows them. */
export const LISTED_PROVIDER_COLUMNS: Columns = [
  { title: 'NAME', ...NAME },
  ...SHARED,
  { title: 'WEIGHT', expendable: 2, cell: ({ weight = 0 }) => String(weight), sortKey: ({ weight = 0 }) => weight },
  {
    title: 'SCALE SETS',
    expendable: 1,
    cell: ({ scale_sets: uses = [] }) => uses.map((use) => use.scale_set).join(',') || 'none',
  },
  { title: 'ENDPOINT', wide: true, cell: ({ endpoint }) => endpoint || '-' },
];

/** What is wrong with providers, and what is skipped there, line by line. */
export function providerNotes(providers: readonly ProviderAnswer[], { style, now }: View): string[] {
  return [
    ...providers.flatMap((one) => (one.error ? [`${one.name}: ${style.red(one.error)}`] : [])),
    ...providers.flatMap((one) =>
      one.state_reason ? [`${one.name}: ${one.state_reason}${nextTry(one.retry_at, now)}`] : [],
    ),
    ...providers.flatMap((one) =>
      (one.scale_sets ?? []).flatMap((use) =>
        use.backoff_for ? [`${use.scale_set} skips ${one.name}: ${skipReason(use)}`] : [],
      ),
    ),
  ];
}

/** `full, next try in 22s`, and what the provider last said. */
export function skipReason(use: ProviderUse): string {
  const why = use.full ? 'full' : (use.refusals ?? 0) > 1 ? `failing (${use.refusals} in a row)` : 'failing';
  return `${why}, next try in ${wait(use.backoff_for)}${use.refusal ? `: ${use.refusal}` : ''}`;
}

export function providerStatus(one: ProviderAnswer, style: Style): string {
  if (!one.reachable) return style.red('UNREACHABLE');
  const { disable_reason: reason, disable_until: until, disable_kept: kept } = one;
  const isByHand = one.disabled && !one.configured_disabled;
  const restart = isByHand ? ` ${endOf({ reason, until, kept }, 'until the daemon restarts')}` : '';
  if (one.disabled && one.runner_count)
    return `${style.yellow('DRAINING')} ${plural(one.runner_count, 'runner')} left${restart}`;
  if (one.disabled) return `${style.yellow('DISABLED')}${restart}`;
  if (one.hold)
    return `${style.yellow('HELD')} for ${one.hold.scale_set} (priority ${one.hold.priority ?? 0}), ${wait(one.hold.remaining)} left`;
  return one.configured_disabled ? `${style.green('OK')} enabled until the daemon restarts` : style.green('OK');
}

/** `3/16`, or `3` without a limit. */
export function providerRunners({ runner_count: count = 0, max_runners: max }: ProviderAnswer): string {
  return max ? `${count}/${max}` : String(count);
}
