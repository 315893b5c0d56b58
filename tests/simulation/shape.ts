import type { Random, ScaleSetPolicy, Schedule, Weekday } from '@rungar/model';
import type { Configuration, ProviderEntry } from './daemon.js';
import { FAULTS, type Fault } from './faults.js';
import type { ProviderTraits } from './provider.js';
import { MINUTE, SECOND } from './world.js';

/** How big a run is: `small` fleets meet their limits all the time, `large` ones run many jobs. */
export type Size = 'small' | 'large';

export interface Shape {
  readonly size: Size;
  readonly providers: readonly ProviderTraits[];
  /** How long trouble lasts. */
  readonly troubleMs: number;
  readonly jobMs: readonly [least: number, most: number];
  /** Jobs a virtual second, over all scale sets. */
  readonly jobsPerSecond: number;
  readonly faultRate: number;
  readonly faults: ReadonlySet<Fault>;
}

export const SCALE_SETS = ['vm', 'arm', 'gpu'] as const;
const EVERY_DAY: ReadonlySet<Weekday> = new Set([0, 1, 2, 3, 4, 5, 6]);

const chance = (random: Random, share: number): boolean => random.fraction() < share;
const among = <T>(random: Random, from: readonly [T, ...T[]]): T =>
  from[Math.floor(random.fraction() * from.length)] ?? from[0];
const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random.fraction() * (most - least + 1));

/** Not every run has every fault: what hides behind a frequent one shows where that is missing. */
export function shapeOf(random: Random, size: Size, without: ReadonlySet<Fault>): Shape {
  const large = size === 'large';
  const share = among(random, [0.35, 0.7, 1]);
  const chosen = FAULTS.filter(() => chance(random, share));
  const faultRate = among(random, large ? [0.2, 0.5, 1] : [0.5, 1, 2.5]);
  return {
    size,
    providers: ['a', 'b', 'c'].map((name, index) => ({
      name,
      parts: index === 1 ? ['b-1', 'b-2'] : [`${name}-1`],
      room: chance(random, 0.3) ? (large ? 60 : 3) : 0,
      createMs: among(random, [
        [300, 1_500],
        [1_000, 4_000],
        [200, 600],
      ]),
      bootMs: among(random, [
        [2_000, 5_000],
        [4_000, 12_000],
      ]),
      accepts: chance(random, 0.5),
    })),
    troubleMs: (large ? whole(random, 25, 40) : whole(random, 30, 90)) * MINUTE,
    jobMs: large
      ? [4 * SECOND, 25 * SECOND]
      : among(random, [
          [5 * SECOND, 60 * SECOND],
          [20 * SECOND, 4 * MINUTE],
        ]),
    jobsPerSecond: large ? 7 : among(random, [0.03, 0.1, 0.3]),
    faultRate,
    faults: new Set(chosen.filter((fault) => !without.has(fault))),
  };
}

/** A configuration that may come after another: limits, revisions, schedules, scale sets in and out. */
export function configurationOf(random: Random, { size }: Pick<Shape, 'size'>): Configuration {
  const large = size === 'large';
  const providers = ['a', 'b', 'c'].map((name, index): ProviderEntry => {
    const limit = chance(random, 0.5) ? whole(random, large ? 30 : 2, large ? 70 : 6) : 0;
    return {
      name,
      weight: among(random, [1, 1, 2]),
      maxRunners: limit,
      disabled: index > 0 && chance(random, 0.15),
    };
  });
  const taken = SCALE_SETS.filter((_, index) => index === 0 || chance(random, 0.85));
  if (chance(random, 0.15)) taken.reverse();
  return {
    intervalMs: among(random, [30 * SECOND, 30 * SECOND, 10 * SECOND]),
    providers,
    scaleSets: taken.map((name) => policyOf(random, name, large)),
  };
}

function policyOf(random: Random, name: string, large: boolean): ScaleSetPolicy {
  const maxRunners = large ? whole(random, 40, 70) : whole(random, 2, 8);
  const minRunners = chance(random, 0.5) ? 0 : whole(random, 1, Math.min(3, maxRunners));
  const providers = ['a', 'b', 'c'].filter(() => chance(random, 0.75));
  if (providers.length === 0) providers.push('a');
  return {
    name,
    labels: [name],
    runnerGroup: 'Default',
    minRunners,
    maxRunners,
    priority: among(random, [0, 0, 1]),
    placement: among(random, ['spread', 'pack']),
    startTimeoutMs: among(random, [5 * MINUTE, 5 * MINUTE, 2 * MINUTE]),
    paused: chance(random, 0.05),
    ...(chance(random, 0.2) && { maxIdleAgeMs: 20 * MINUTE }),
    ...(chance(random, 0.15) && { maxAgeMs: 30 * MINUTE }),
    ...(chance(random, 0.3) && { schedule: scheduleOf(random, maxRunners) }),
    providers: providers.map((provider) => ({
      name: provider,
      spec: {},
      revision: `r${whole(random, 1, 2)}`,
      size: 'simulated',
    })),
  };
}

function scheduleOf(random: Random, maxRunners: number): Schedule {
  const from = whole(random, 9 * 60, 10 * 60);
  return {
    timeZone: 'UTC',
    windows: [
      { days: EVERY_DAY, from, to: from + whole(random, 5, 40), minRunners: whole(random, 0, Math.min(4, maxRunners)) },
    ],
  };
}
