import { RungarError } from '@rungar/model';
import { decideAfresh } from './act/decision.js';
import { Fleet } from './act/fleet.js';
import { Gate } from './act/gate.js';
import { removeLeftoverScaleSet } from './act/leftovers.js';
import { Listings } from './act/observe.js';
import { passOnRequest } from './act/pass.js';
import { setPaused } from './act/pause.js';
import { type PlannedChange, previewNew, previewScaleSet } from './act/preview.js';
import { removeOnRequest } from './act/requests.js';
import { Roster } from './act/roster.js';
import { viewRunners } from './act/runners-view.js';
import type { Deps, ScaleSet } from './act/scale-set.js';
import { providerStatus, scaleSetStatus } from './act/status-view.js';
import { abandonable } from './act/time-limit.js';
import { carefulLogger } from './careful-logger.js';
import { carefulMetrics } from './careful-metrics.js';
import type { ScaleSetPlan } from './explain/scale-set-plan.js';
import { Lifecycle } from './lifecycle.js';
import { type EventListener, type EventName, Listeners } from './listeners.js';
import {
  type CompleteOptions,
  completed,
  completedChange,
  type ReconcilerOptions,
  type Reconfiguration,
} from './options.js';
import type {
  ProviderStatus,
  ReconcilerStatus,
  RunnersView,
  RunnerView,
  ScaleSetRemoval,
  ScaleSetStatus,
} from './status.js';

/** Registrations in flight for one credential. */
const REGISTRATIONS_IN_FLIGHT = 32;
/** Removals of registrations in flight for one credential. */
const REMOVALS_IN_FLIGHT = 8;

/** What a daemon needs of a reconciler over one installation's scale sets. Nothing happens before it runs. */
export interface Reconciler {
  /**
   * Serves every scale set until `signal` aborts, then lets go: no new creation, sessions closed, runners left
   * where they are. One scale set's or provider's trouble never ends it.
   * @throws RungarError when GitHub refuses the credential at the start, twice 10 s apart (docs/concepts/states.md);
   * `busy` while it runs already
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Goes on with other scale sets and providers, or with others of their settings. It is in force when this returns:
   * what decides next decides by it. A scale set that is not among them is let go, its session closed and its runners
   * left; a provider that is not takes no more runners, and is let go once it has none. What somebody paused or
   * disabled by hand stays so, unless just that is another one than before.
   * @returns when the sessions of the scale sets let go are closed
   * @throws RungarError `invalid_argument`, at once, naming what can never work; nothing has changed then
   */
  apply(change: Reconfiguration): Promise<void>;
  /** In configured order. */
  scaleSets(): readonly ScaleSetStatus[];
  /** In configured order. */
  providers(): readonly ProviderStatus[];
  /** Lists every provider (or one) now, with GitHub's view. @throws RungarError `not_found` for an unknown provider */
  listRunners(filter: { scaleSet?: string; provider?: string }, signal: AbortSignal): Promise<RunnersView>;
  /** Takes no more jobs until resumed; busy runners finish. @throws RungarError `not_found` listing the known names */
  pause(scaleSet: string): ScaleSetStatus;
  /** Takes jobs again; of one that is not paused, nothing changes. @throws RungarError `not_found` listing the known names */
  resume(scaleSet: string): ScaleSetStatus;
  /**
   * Runs a pass of one scale set now, with a listing of the providers begun after this call.
   * @returns how it stands after the pass
   * @throws RungarError `not_found` listing the known names; `unavailable`, saying why, while its session is not held
   */
  reconcile(scaleSet: string, signal: AbortSignal): Promise<ScaleSetStatus>;
  /**
   * Removes one runner the safe way round: its registration first, its machine second. A runner of a scale set that
   * is not configured, and a registration without a machine, go too (docs/concepts/reconciling.md). A runner with a
   * job never goes. Aborting `signal` ends the wait, and not what has begun.
   * @returns the runner as it was, once its machine is gone; without a provider when it had no machine
   * @throws RungarError `not_found`; `busy` when it has a job; `invalid_argument` when it is connected from a machine
   * no provider lists; `unavailable`, saying why, when it cannot be told or done now
   */
  removeRunner(name: string, signal: AbortSignal): Promise<RunnerView>;
  /**
   * Removes what a scale set that is not configured has left: its idle runners, and, when none is left with a job, the
   * scale set at GitHub. Only a daemon that serves something may, and only while nobody else serves that scale set.
   * @param options.group the runner group it is in; `Default` unless given
   * @param options.dryRun changes nothing, and tells what would go
   * @throws RungarError `invalid_argument` for a configured one; `not_found` when it is neither on a machine nor at
   * GitHub; `unavailable`, saying why, when a provider or GitHub does not answer or somebody else serves it
   */
  removeScaleSet(
    name: string,
    options: { readonly group?: string; readonly dryRun?: boolean },
    signal: AbortSignal,
  ): Promise<ScaleSetRemoval>;
  /** Places runners there again, until restart. @throws RungarError `not_found` listing the known names */
  enableProvider(name: string): ProviderStatus;
  /** Places no more runners there, until restart; those it has stay. @throws RungarError as enabling */
  disableProvider(name: string): ProviderStatus;
  /**
   * What the next pass of a scale set would do now, and why (docs/guides/plan-explain-replay.md). Asking changes nothing.
   * @param change a configuration to plan under in place of the present one; its scale set may be a new one
   * @throws RungarError `not_found` listing the known names
   */
  plan(scaleSet: string, change?: PlannedChange): Promise<ScaleSetPlan>;
}

/** A reconciler for a program of its own, which starts and stops it and listens to what happens. */
export interface EmbeddedReconciler extends Reconciler, AsyncDisposable {
  /**
   * Begins to serve, until {@link EmbeddedReconciler.stop} or until `signal` aborts. It may be started again later.
   * @throws RungarError `busy` while it runs already
   */
  start(signal?: AbortSignal): void;
  /** Lets go, and resolves when everything is let go, however that ended. Runners are left for the next start. */
  stop(): Promise<void>;
  /** Settles when the present or latest run ends. Rejects, as {@link Reconciler.run} does, with why it could not go on. */
  readonly ended: Promise<void>;
  /** Everything as it is now, by what is known: asks nobody. */
  status(): ReconcilerStatus;
  /**
   * Calls `listener` with every event of one action (`job_started`), of one kind (`runner`, `provider`, `scale_set`),
   * or of all (`event`); docs/reference/events.md lists them. It is called at once
   * and nobody waits for it; one that throws or rejects is logged.
   * @returns what ends it
   */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void;
}

/**
 * Makes a reconciler from what it is given: no state is shared with another one in the same process.
 * @throws RungarError `invalid_argument` naming what can never work
 */
export function createReconciler(options: ReconcilerOptions): EmbeddedReconciler {
  const given = completed(options);
  const complete = { ...given, logger: carefulLogger(given.logger) };
  const listeners = new Listeners(complete);
  const metrics = carefulMetrics(complete.metrics, complete.logger);
  const deps = depsFrom({ ...complete, events: listeners, metrics });
  const roster = new Roster(complete.scaleSets, deps, deps.configured);
  const { sets } = roster;

  const find = (name: string): ScaleSet => {
    const set = sets.get(name);
    if (!set) throw new RungarError('not_found', `no scale set ${name}; there are: ${[...sets.keys()].join(', ')}`);
    return set;
  };

  /** The same state again changes nothing. */
  const setDisabled = (name: string, disabled: boolean): ProviderStatus => {
    const state = deps.fleet.require(name);
    if (state.disabled !== disabled) {
      state.disabled = disabled;
      deps.logger.info(disabled ? 'Provider disabled' : 'Provider enabled', { component: 'fleet', provider: name });
      for (const set of sets.values()) decideAfresh(set);
    }
    return providerStatus(state, [...sets.values()], deps.clock.now(), deps.fleet.holdDown);
  };

  const changePaused = (name: string, paused: boolean): ScaleSetStatus => {
    const set = find(name);
    setPaused(set, paused);
    return scaleSetStatus(set);
  };

  const lifecycle = new Lifecycle((signal) => roster.run(signal), deps.clock);
  const scaleSets = (): readonly ScaleSetStatus[] => [...sets.values()].map(scaleSetStatus);
  const providers = (): readonly ProviderStatus[] =>
    [...deps.fleet.providers].map((state) =>
      providerStatus(state, [...sets.values()], deps.clock.now(), deps.fleet.holdDown),
    );

  return {
    run: async (signal) => await lifecycle.start(signal),
    start: (signal) => void lifecycle.start(signal),
    stop: () => lifecycle.stop(),
    get ended() {
      return lifecycle.ended;
    },
    [Symbol.asyncDispose]: () => lifecycle.stop(),
    on: (name, listener) => listeners.on(name, listener),
    status: () => ({
      state: lifecycle.state,
      since: lifecycle.since,
      ...(lifecycle.error !== undefined && { error: lifecycle.error }),
      scaleSets: scaleSets(),
      providers: providers(),
    }),
    scaleSets,
    providers,
    listRunners: (filter, signal) => viewRunners(deps, sets, filter, signal),
    apply(change) {
      const { scaleSets: policies, providers: configs, reconcileIntervalMs } = completedChange(change);
      deps.reconcileIntervalMs = reconcileIntervalMs ?? deps.reconcileIntervalMs;
      deps.fleet.apply(configs, deps.reconcileIntervalMs);
      return roster.apply(policies);
    },
    pause: (name) => changePaused(name, true),
    resume: (name) => changePaused(name, false),
    async reconcile(name, signal) {
      const set = find(name);
      await abandonable(signal, () => passOnRequest(set));
      return scaleSetStatus(set);
    },
    removeRunner: (name, signal) => removeOnRequest({ deps, sets, signal }, name),
    removeScaleSet: (name, { group = 'Default', dryRun = false }, signal) =>
      abandonable(signal, () => removeLeftoverScaleSet({ deps, sets, signal }, { name, runnerGroup: group }, dryRun)),
    enableProvider: (name) => setDisabled(name, false),
    disableProvider: (name) => setDisabled(name, true),
    async plan(name, change) {
      const set = sets.get(name);
      if (!set && change?.scaleSet.name === name) return previewNew(deps, change);
      return await previewScaleSet(find(name), change);
    },
  };
}

/** What of {@link Deps} a change of the configuration replaces. */
interface Changeable {
  reconcileIntervalMs: number;
  readonly configured: Set<string>;
}

function depsFrom(options: CompleteOptions): Deps & Changeable {
  const { installation, clock, logger } = options;
  const fleet = new Fleet(options);
  return {
    ...options,
    fleet,
    listings: new Listings({ installation, fleet, clock, logger }),
    registrations: new Gate(REGISTRATIONS_IN_FLIGHT),
    removals: new Gate(REMOVALS_IN_FLIGHT),
    configured: new Set(),
  };
}
