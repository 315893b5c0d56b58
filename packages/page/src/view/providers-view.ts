import type { ProviderFacts } from '../source.js';
import { tenths, wholeSecond } from './rounding.js';
import type { ProviderRow, Trouble } from './view.js';

/** How each provider does. @param now by the wall clock */
export function providersView(providers: readonly ProviderFacts[], now: number): ProviderRow[] {
  return providers.map((provider) => {
    const troubles = troublesOf(provider, now);
    const { name, type, endpoint, runnerCount, maxRunners } = provider;
    return {
      ...{ name, type, endpoint, health: healthOf(provider, troubles), runners: runnerCount, maxRunners, troubles },
      machineHours: tenths(provider.machineHours),
    };
  });
}

function healthOf({ reachable, disabled }: ProviderFacts, troubles: readonly Trouble[]): ProviderRow['health'] {
  if (!reachable) return 'unreachable';
  if (disabled) return 'disabled';
  return troubles.some(({ kind }) => kind !== 'held') ? 'troubled' : 'well';
}

function troublesOf(provider: ProviderFacts, now: number): Trouble[] {
  const { reachable, error, sameBackendAs, scaleSets, slowed, undeletable, hold } = provider;
  const until = (ms: number): { until: number } => ({ until: wholeSecond(now + ms) });
  const { disabled, disabling } = provider;
  const found: (Trouble | undefined)[] = [
    disabled && disabling
      ? {
          kind: 'disabled',
          text: disabling.reason ? `Disabled by hand: ${disabling.reason}` : 'Disabled by hand',
          ...(disabling.until !== undefined && { until: wholeSecond(disabling.until) }),
        }
      : undefined,
    reachable ? undefined : { kind: 'unreachable', text: `Cannot be reached: ${error || 'it says nothing'}` },
    sameBackendAs === undefined
      ? undefined
      : { kind: 'duplicate', text: `Leads to the same backend as ${sameBackendAs}, which is used instead` },
    ...scaleSets.map(({ scaleSet, backoffForMs, refusals, refusal, full }): Trouble | undefined => {
      if (backoffForMs === undefined) return undefined;
      const row = refusals > 1 ? `, ${refusals} times in a row` : '';
      const text = full ? `Has no room for ${scaleSet}: ${refusal}` : `Refused ${scaleSet}${row}: ${refusal}`;
      return { kind: full ? 'full' : 'failing', text, ...until(backoffForMs) };
    }),
    ...slowed.map(
      ({ scaleSet, why, nextTryInMs }): Trouble => ({
        kind: 'slowed',
        text: `${scaleSet} creates slowly here: ${why}`,
        ...until(nextTryInMs),
      }),
    ),
    ...undeletable.map(
      ({ runner, attempts, error }): Trouble => ({
        kind: 'undeletable',
        text: `The machine of ${runner} could not be deleted at ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${error}`,
      }),
    ),
    hold && { kind: 'held', text: `Kept for ${hold.scaleSet}, which waits for room`, ...until(hold.remainingMs) },
  ];
  return found.filter((trouble) => trouble !== undefined);
}
