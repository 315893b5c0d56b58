import type { ScaleSetPolicy, ScheduleWindow, Weekday } from '@rungar/model';
import type { Configuration, ProviderEntry } from '../simulation/daemon.js';
import type { Fault } from '../simulation/faults.js';
import type { ProviderTraits } from '../simulation/provider.js';
import { MINUTE, SECOND } from '../simulation/world.js';

/** A kind of runner, and what the organisation runs on it. */
export interface Kind {
  readonly scaleSet: string;
  /** Of all jobs. */
  readonly share: number;
  /** The mean; most are shorter, a few much longer. */
  readonly jobMs: number;
}

export const KINDS: readonly Kind[] = [
  { scaleSet: 'linux', share: 0.57, jobMs: 4.5 * MINUTE },
  { scaleSet: 'arm', share: 0.16, jobMs: 5 * MINUTE },
  { scaleSet: 'linux-large', share: 0.12, jobMs: 10 * MINUTE },
  { scaleSet: 'windows', share: 0.12, jobMs: 9 * MINUTE },
  { scaleSet: 'gpu', share: 0.03, jobMs: 15 * MINUTE },
];

/** The provider whose machines may be taken back at any time. */
export const SPOT = 'spot';

const provider = (name: string, bootSeconds: readonly [number, number], room = 0): ProviderTraits => ({
  name,
  parts: [`${name}-1`],
  room,
  createMs: [800, 3_000],
  bootMs: [bootSeconds[0] * SECOND, bootSeconds[1] * SECOND],
  accepts: true,
});

export const PROVIDERS: readonly ProviderTraits[] = [
  provider('aws', [22, 45]),
  provider(SPOT, [22, 45]),
  provider('gcp', [18, 40]),
  provider('metal', [12, 25], 24),
];

/** What goes wrong on an ordinary day: each by itself seldom, all of them together a few times an hour. */
export const ORDINARY_FAULTS: ReadonlySet<Fault> = new Set<Fault>([
  'github 5xx',
  'github no answer',
  'github answer lost',
  'github slow',
  'message delayed',
  'message repeated',
  'message lost',
  'messages reordered',
  'list late',
  'list fails',
  'list incomplete',
  'full',
  'create refused',
  'create answer lost',
  'create late',
  'create hangs',
  'delete refused',
  'delete answer lost',
  'delete hangs',
  'runner never connects',
  'runner dies young',
]);
/** How much seldomer they are than in the simulation, which is all trouble. */
export const ORDINARY_RATE = 0.04;

const WORKDAYS: ReadonlySet<Weekday> = new Set([0, 1, 2, 3, 4]);
const atWork = (minRunners: number): readonly ScheduleWindow[] => [
  { days: WORKDAYS, from: 7 * 60, to: 19 * 60, minRunners },
];

interface Wanted {
  readonly name: string;
  readonly minRunners: number;
  readonly maxRunners: number;
  /** The reserve while people work. */
  readonly atWork?: number;
  readonly placement?: 'spread' | 'pack';
  readonly priority?: number;
  readonly providers: readonly string[];
  readonly revision: string;
}

const policy = ({ name, minRunners, maxRunners, providers, revision, ...more }: Wanted): ScaleSetPolicy => ({
  name,
  labels: [name],
  runnerGroup: 'Default',
  minRunners,
  maxRunners,
  priority: more.priority ?? 0,
  placement: more.placement ?? 'pack',
  startTimeoutMs: 5 * MINUTE,
  maxIdleAgeMs: 6 * 60 * MINUTE,
  paused: false,
  ...(more.atWork !== undefined && { schedule: { timeZone: 'UTC', windows: atWork(more.atWork) } }),
  providers: providers.map((one) => ({ name: one, spec: {}, revision, size: 'simulated' })),
});

const entry = (name: string, maxRunners: number): ProviderEntry => ({ name, weight: 1, maxRunners, disabled: false });

/**
 * The configuration, by how often it has been changed: each change brings a new image, which replaces what is idle,
 * and every other one a larger limit and reserve for the busiest scale set.
 */
export function configurationOf(changes: number): Configuration {
  const revision = `r${changes + 1}`;
  const isLarger = changes % 2 === 1;
  const wanted: readonly Wanted[] = [
    {
      name: 'linux',
      minRunners: 4,
      maxRunners: isLarger ? 450 : 400,
      atWork: isLarger ? 40 : 30,
      placement: 'spread',
      priority: 1,
      providers: ['aws', 'gcp'],
      revision,
    },
    { name: 'arm', minRunners: 2, maxRunners: 150, atWork: 8, providers: ['gcp', 'aws'], revision },
    { name: 'linux-large', minRunners: 0, maxRunners: 200, providers: [SPOT, 'aws'], revision },
    { name: 'windows', minRunners: 1, maxRunners: 180, atWork: 6, providers: ['aws'], revision },
    { name: 'gpu', minRunners: 0, maxRunners: 50, providers: ['metal', 'gcp'], revision },
  ];
  return {
    intervalMs: 30 * SECOND,
    providers: [entry('aws', 600), entry(SPOT, 250), entry('gcp', 400), entry('metal', 24)],
    scaleSets: wanted.map(policy),
  };
}
