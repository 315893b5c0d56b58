import { hostname } from 'node:os';
import {
  type Clock,
  type EventSink,
  type Logger,
  type Random,
  RungarError,
  type ScaleSetPolicy,
  type ScaleSetProvider,
  type ScaleSetService,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rungar/model';
import type { FleetProvider, Metrics } from './ports.js';
import type { Recorder } from './record/entries.js';

/** A scale set's runner on one of its providers. */
export interface ScaleSetProviderOptions {
  /** The provider's name. */
  readonly name: string;
  /** What the provider's `create` is given as `spec`. Nothing unless given. */
  readonly spec?: unknown;
  /** What tells one specification from another: idle runners of another revision are replaced. `1` unless given. */
  readonly revision?: string;
  /** How big its machines are, for people. */
  readonly size?: string;
}

/** A scale set to serve. Only the three without a default have to be given. */
export interface ScaleSetOptions
  extends Partial<Omit<ScaleSetPolicy, 'name' | 'maxRunners' | 'providers'>>,
    Pick<ScaleSetPolicy, 'name' | 'maxRunners'> {
  /** In order of preference; at least one. */
  readonly providers: readonly ScaleSetProviderOptions[];
}

/** A provider the fleet may use. Only its name and itself have to be given. */
export interface FleetProviderOptions
  extends Partial<Omit<FleetProvider, 'name' | 'provider'>>,
    Pick<FleetProvider, 'name' | 'provider'> {}

/** What a reconciler is made from. */
export interface ReconcilerOptions {
  /** Whose machines these are: `installationOf` of `@rungar/labels` gives it. Two reconcilers of one never run at once. */
  readonly installation: string;
  readonly github: ScaleSetService;
  /** In order of preference: the first leads. At least one. */
  readonly scaleSets: readonly ScaleSetOptions[];
  /** At least one. */
  readonly providers: readonly FleetProviderOptions[];
  /** At least 5,000; 30,000 unless given. */
  readonly reconcileIntervalMs?: number;
  /** Names the sessions at GitHub: `rungar-<hostname>-<scale set>`. The host's own name unless given. */
  readonly hostname?: string;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** The system's unless given. */
  readonly random?: Random;
  /** Says nothing unless given. */
  readonly logger?: Logger;
  /** Takes every event, before whoever listens by `on`. */
  readonly events?: EventSink;
  /** Measures nothing unless given. */
  readonly metrics?: Metrics;
  /** Takes every decision with what it was made from, to be run through the code of another day by `replayRecord`. */
  readonly recorder?: Recorder;
}

/** Other scale sets and providers, all of them, to go on with. */
export interface Reconfiguration extends Pick<ReconcilerOptions, 'scaleSets' | 'providers'> {
  /** As it was unless given. */
  readonly reconcileIntervalMs?: number;
}

/** The same with every default filled in. */
export interface CompleteOptions
  extends Required<Omit<ReconcilerOptions, 'scaleSets' | 'providers' | 'recorder'>>,
    Pick<ReconcilerOptions, 'recorder'> {
  readonly scaleSets: readonly ScaleSetPolicy[];
  readonly providers: readonly FleetProvider[];
}

const SHORTEST_INTERVAL_MS = 5_000;
const NO_METRICS: Metrics = { add() {}, set() {}, unset() {}, observe() {} };
const NO_EVENTS: EventSink = { record() {} };

/**
 * Fills in the defaults.
 * @throws RungarError `invalid_argument` naming the first thing that can never work
 */
export function completed(options: ReconcilerOptions): CompleteOptions {
  check(options);
  return {
    reconcileIntervalMs: 30_000,
    hostname: hostname(),
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    events: NO_EVENTS,
    metrics: NO_METRICS,
    ...options,
    scaleSets: options.scaleSets.map(completedScaleSet),
    providers: options.providers.map(completedProvider),
  };
}

/**
 * Fills in the defaults.
 * @throws RungarError `invalid_argument` naming the first thing that can never work
 */
export function completedChange(
  change: Reconfiguration,
): Pick<CompleteOptions, 'scaleSets' | 'providers'> & Pick<Reconfiguration, 'reconcileIntervalMs'> {
  checkServed(change);
  return {
    ...change,
    scaleSets: change.scaleSets.map(completedScaleSet),
    providers: change.providers.map(completedProvider),
  };
}

function completedScaleSet({ providers, ...given }: ScaleSetOptions): ScaleSetPolicy {
  return {
    labels: [given.name],
    runnerGroup: 'Default',
    minRunners: 0,
    priority: 0,
    placement: 'spread',
    startTimeoutMs: 300_000,
    paused: false,
    ...given,
    providers: providers.map((one): ScaleSetProvider => ({ spec: undefined, revision: '1', size: '', ...one })),
  };
}

function completedProvider(given: FleetProviderOptions): FleetProvider {
  return { type: 'custom', endpoint: given.name, weight: 1, maxRunners: 0, disabled: false, ...given };
}

function check(options: ReconcilerOptions): void {
  if (options.installation === '') throw wrong('installation is empty; installationOf(url) of @rungar/labels gives it');
  checkServed(options);
}

function checkServed({ scaleSets, providers, reconcileIntervalMs }: Reconfiguration): void {
  if (reconcileIntervalMs !== undefined && !(reconcileIntervalMs >= SHORTEST_INTERVAL_MS))
    throw wrong(`reconcileIntervalMs is ${reconcileIntervalMs}; at least ${SHORTEST_INTERVAL_MS} is wanted`);
  const known = new Set(providers.map(({ name }) => name));
  throwIfTwice('provider', providers);
  throwIfTwice('scale set', scaleSets);
  for (const { name, weight = 1, maxRunners = 0 } of providers) {
    if (!(weight > 0)) throw wrong(`provider ${name}: weight is ${weight}; a positive number is wanted`);
    if (!isCount(maxRunners)) throw wrong(`provider ${name}: maxRunners is ${maxRunners}; a whole number is wanted`);
  }
  for (const set of scaleSets) checkScaleSet(set, known);
}

function checkScaleSet(
  { name, minRunners = 0, maxRunners, providers }: ScaleSetOptions,
  known: ReadonlySet<string>,
): void {
  if (!isCount(maxRunners)) throw wrong(`scale set ${name}: maxRunners is ${maxRunners}; a whole number is wanted`);
  if (!isCount(minRunners) || minRunners > maxRunners)
    throw wrong(`scale set ${name}: minRunners is ${minRunners}; from 0 to maxRunners (${maxRunners}) is wanted`);
  if (providers.length === 0) throw wrong(`scale set ${name} has no provider`);
  throwIfTwice(`scale set ${name}: provider`, providers);
  const stranger = providers.find((one) => !known.has(one.name));
  if (stranger)
    throw wrong(`scale set ${name}: there is no provider ${stranger.name}; there are: ${[...known].join(', ')}`);
}

function throwIfTwice(what: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw wrong(`${what} ${name} is given twice`);
    seen.add(name);
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const wrong = (message: string): RungarError => new RungarError('invalid_argument', message);
