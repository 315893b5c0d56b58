import type {
  Clock,
  EventSink,
  Labels,
  Logger,
  Machine,
  MachineListing,
  MachineRef,
  MachineRequest,
  ScaleSetPolicy,
} from '@rungar/model';
import { errorCodeOf, messageOf, RungarError } from '@rungar/model';
import { afterRefusal, isSkipped } from '../decide/backoff.js';
import { afterAttempt, afterMisfortune, describeBrake, type FailedRunner, isBraked, isOver } from '../decide/brake.js';
import { holdDownMs, liftHold, placeHold } from '../decide/holds.js';
import { type Candidates, orderCandidates, type ProviderFacts } from '../decide/placement.js';
import type { PlacementFacts } from '../decide/plan-scaling.js';
import { sameBackends } from '../decide/same-backend.js';
import { refusalEvent, slowedEvent } from '../events.js';
import type { FleetProvider, Metrics } from '../ports.js';
import { once } from './gate.js';
import { listingOf, madeBy } from './provider-answer.js';
import { narrow, newProviderState, type ProviderState, widen } from './provider-state.js';
import type { RunnerBook } from './runners.js';
import { withLimit } from './time-limit.js';

const LIST_LIMIT_MS = 60_000;
const DELETE_LIMIT_MS = 2 * 60_000;
/** How long a machine's removal may wait for what its console says. */
const CONSOLE_LIMIT_MS = 3_000;

/** A place on a provider, taken before anything is registered. */
export interface Claim {
  readonly provider: string;
  /** Gives it back; repeating that does nothing. */
  release(): void;
}

/** How a machine is asked for. */
export interface CreateCall {
  /** What is left of the time to place the runner. */
  readonly limitMs: number;
  /** Told, perhaps more than once, when the provider only finishes what its backend has taken. */
  readonly onAccepted: () => void;
  /** Given a machine that is there after it was given up. */
  readonly late: (machine: Machine) => void;
}

export interface FleetOptions {
  readonly providers: readonly FleetProvider[];
  readonly reconcileIntervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventSink;
  readonly metrics: Metrics;
}

/** The providers: who may be tried, who holds which place, and every call to one of them. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #states = new Map<string, ProviderState>();
  readonly #books = new Map<string, RunnerBook>();
  readonly #log: Logger;
  #holdDown: number;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#log = options.logger.with({ component: 'fleet' });
    this.#holdDown = holdDownMs(options.reconcileIntervalMs);
    for (const config of options.providers) this.#add(config);
  }

  get holdDown(): number {
    return this.#holdDown;
  }

  /**
   * Goes on with these providers. One that is not among them takes no more runners, and goes once it has none. What
   * somebody disabled or enabled by hand stays so, unless the configuration changes just that.
   */
  apply(configs: readonly FleetProvider[], reconcileIntervalMs: number): void {
    this.#holdDown = holdDownMs(reconcileIntervalMs);
    const before = new Map(this.#states);
    this.#states.clear();
    for (const config of configs) {
      const state = before.get(config.name);
      if (!state) {
        this.#add(config);
        continue;
      }
      if (state.retired || state.config.disabled !== config.disabled) state.disabled = config.disabled;
      state.retired = false;
      state.config = config;
      this.#states.set(config.name, state);
      before.delete(config.name);
    }
    for (const [name, state] of before) {
      state.retired = true;
      state.disabled = true;
      this.#states.set(name, state);
    }
  }

  /** Lets go of providers that were taken out of the configuration and have no runner left. */
  dropRetired(): void {
    for (const [name, state] of this.#states) {
      if (!state.retired || this.taken(state) > 0) continue;
      this.#states.delete(name);
      this.#options.metrics.unset('rungar_provider_reachable', { provider: name });
      this.#log.info('Provider let go: it is not configured any more and has no runner left', { provider: name });
    }
  }

  #add(config: FleetProvider): void {
    this.#states.set(config.name, newProviderState(config));
    this.#options.metrics.set('rungar_provider_reachable', { provider: config.name }, 1);
  }

  /** Counts a scale set's runners from now on. */
  register(scaleSet: string, book: RunnerBook): void {
    this.#books.set(scaleSet, book);
  }

  /** A scale set is not served any more: nothing of it counts, unless another one of its name has come since. */
  unregister(scaleSet: string, book: RunnerBook): void {
    if (this.#books.get(scaleSet) !== book) return;
    this.#books.delete(scaleSet);
    for (const state of this.#states.values()) {
      state.backoffs.delete(scaleSet);
      state.brakes.delete(scaleSet);
      if (state.hold?.scaleSet === scaleSet) delete state.hold;
    }
  }

  /** Whether some provider is braked for that scale set. */
  hasBrake(scaleSet: string): boolean {
    for (const { brakes } of this.#states.values()) if (brakes.size > 0 && brakes.has(scaleSet)) return true;
    return false;
  }

  /** In configured order. */
  get providers(): Iterable<ProviderState> {
    return this.#states.values();
  }

  state(provider: string): ProviderState {
    const state = this.#states.get(provider);
    if (!state) throw new TypeError(`no provider ${provider}`);
    return state;
  }

  /** @throws RungarError `not_found` listing the known names */
  require(provider: string): ProviderState {
    const state = this.#states.get(provider);
    if (state) return state;
    const known = [...this.#states.keys()].join(', ');
    throw new RungarError('not_found', `no provider ${provider}; there are: ${known}`);
  }

  has(provider: string): boolean {
    return this.#states.has(provider);
  }

  /** Places taken, by all scale sets. */
  taken(state: ProviderState): number {
    let taken = 0;
    for (const book of this.#books.values()) taken += book.placesOn(state.config.name);
    for (const claimed of state.claims.values()) taken += claimed;
    return taken;
  }

  /** Who could take a runner of that scale set now, best first, and why the others cannot. Asks nobody. */
  candidates(policy: ScaleSetPolicy, except: ReadonlySet<string> = new Set()): Candidates {
    const { providers, claimant } = this.placementFacts(policy, except);
    return orderCandidates(providers, claimant, this.#options.clock.now(), this.holdDown);
  }

  /** What {@link candidates} are made from. */
  placementFacts(policy: ScaleSetPolicy, except: ReadonlySet<string> = new Set()): PlacementFacts {
    const providers = policy.providers
      .filter(({ name }) => !except.has(name) && this.#states.has(name))
      .map(({ name }) => this.#factsOf(this.state(name), policy.name));
    return { providers, claimant: claimantOf(policy), holdDown: this.holdDown };
  }

  /** Whether a scale set that has claimed a place there is not to ask it now after all. */
  isSkipped(provider: string, scaleSet: string): boolean {
    const state = this.state(provider);
    const unreachable = state.known && !state.reachable;
    const unused = state.disabled || state.sameAs !== undefined;
    return unused || unreachable || isSkipped(state.backoffs.get(scaleSet), this.#options.clock.now());
  }

  /** Takes a place on a provider that {@link candidates} has just named. */
  claim(provider: string, scaleSet: string): Claim {
    const state = this.state(provider);
    state.claims.set(scaleSet, (state.claims.get(scaleSet) ?? 0) + 1);
    const brake = state.brakes.get(scaleSet);
    if (brake && isBraked(brake)) state.brakes.set(scaleSet, afterAttempt(brake, this.#options.clock.now()));
    let released = false;
    return {
      provider,
      release() {
        if (released) return;
        released = true;
        const left = (state.claims.get(scaleSet) ?? 1) - 1;
        if (left > 0) state.claims.set(scaleSet, left);
        else state.claims.delete(scaleSet);
      },
    };
  }

  /** A provider refused a creation: it is skipped for a while by that scale set alone. */
  refused(provider: string, scaleSet: string, runner: string, startedAt: number, error: unknown): void {
    const state = this.state(provider);
    const now = this.#options.clock.now();
    const before = state.backoffs.get(scaleSet);
    const full = errorCodeOf(error) === 'no_capacity';
    const text = messageOf(error);
    const backoff = afterRefusal(before, { startedAt, now, text, full });
    state.backoffs.set(scaleSet, backoff);
    if (backoff.refusals === before?.refusals) return;
    const skippedForMs = backoff.skipUntil - now;
    const { refusals } = backoff;
    const fields = { provider, scale_set: scaleSet, runner, error: text, skippedForMs, refusals };
    if (full) this.#log.info('Provider full', fields);
    else this.#log.warn('Provider failing', fields);
    this.#options.events.record(
      refusalEvent({ provider, scaleSet, runner, error: text, skippedForMs, refusals, full }),
    );
  }

  /** A provider made a runner: refusals from before it was asked are forgotten, and weaker or equal claims on these providers end. */
  placed(policy: ScaleSetPolicy, provider: string, sentAt: number): void {
    const { backoffs } = this.state(provider);
    const backoff = backoffs.get(policy.name);
    if (backoff && sentAt >= backoff.refusedAt) backoffs.delete(policy.name);
    for (const { name } of policy.providers) {
      const state = this.#states.get(name);
      if (!state?.hold) continue;
      const hold = liftHold(state.hold, policy.priority);
      if (!hold) delete state.hold;
    }
  }

  /** A scale set found no room: providers it skips as full are left to it by those of lower priority. */
  renewHolds(policy: ScaleSetPolicy): void {
    const now = this.#options.clock.now();
    for (const { name } of policy.providers) {
      const state = this.#states.get(name);
      const backoff = state?.backoffs.get(policy.name);
      if (!state || !isSkipped(backoff, now) || !backoff.full) continue;
      state.hold = placeHold(
        state.hold,
        { scaleSet: policy.name, priority: policy.priority, since: now },
        this.holdDown,
      );
    }
  }

  /** A runner came to nothing: creations slow down when that happens again and again. */
  cameToNothing(provider: string, scaleSet: string, { runner, kind, createdAt }: Omit<FailedRunner, 'now'>): void {
    const state = this.#states.get(provider);
    if (!state) return;
    const now = this.#options.clock.now();
    const before = state.brakes.get(scaleSet);
    const brake = afterMisfortune(before, { runner, kind, createdAt, now });
    state.brakes.set(scaleSet, brake);
    if (!isBraked(brake) || brake.strikes === before?.strikes) return;
    const error = describeBrake(brake);
    this.#log.warn('Runner after runner comes to nothing; slowing down', {
      provider,
      scale_set: scaleSet,
      runner,
      reason: error,
    });
    const skippedForMs = brake.tryAgainAt - now;
    const { strikes } = brake;
    this.#options.events.record(slowedEvent({ provider, scaleSet, runner, error, skippedForMs, refusals: strikes }));
  }

  /** @param connectedAt when the runner that works there connected */
  isWell(provider: string, scaleSet: string, connectedAt: number | undefined): void {
    const brakes = this.#states.get(provider)?.brakes;
    const brake = brakes?.get(scaleSet);
    if (brake && isOver(brake, connectedAt)) brakes?.delete(scaleSet);
  }

  noteListing(provider: string, error: string | undefined): void {
    const state = this.#states.get(provider);
    if (!state) return;
    const reachable = error === undefined;
    if (!reachable && (state.reachable || !state.known)) this.#log.warn('Provider unreachable', { provider, error });
    if (reachable && state.known && !state.reachable) this.#log.info('Provider reachable again', { provider });
    state.known = true;
    state.reachable = reachable;
    if (error === undefined) delete state.error;
    else state.error = error;
    this.#options.metrics.set('rungar_provider_reachable', { provider }, reachable ? 1 : 0);
  }

  /**
   * Notes what a backend says it is. A provider that leads to the backend of an earlier one is not used from then on:
   * both would list the same machines.
   */
  noteIdentity(provider: string, identity: string): void {
    const told = this.#states.get(provider);
    if (!told || told.identity === identity) return;
    told.identity = identity;
    const identified = [...this.#states.values()].map((state) => ({ name: state.config.name, ...state }));
    const same = sameBackends(identified);
    for (const state of this.#states.values()) {
      const { name } = state.config;
      const first = same.get(name);
      if (first === state.sameAs) continue;
      if (first === undefined) {
        delete state.sameAs;
        continue;
      }
      state.sameAs = first;
      this.#log.error('Two providers are one backend; the later one is not used: take it out of the configuration', {
        provider: name,
        same_as: first,
        backend: state.identity,
      });
    }
  }

  list(provider: string, selector: Labels, signal?: AbortSignal): Promise<MachineListing> {
    return this.#call(provider, 'list', LIST_LIMIT_MS, signal, async (inner) =>
      listingOf(provider, await this.state(provider).config.provider.list(selector, { signal: inner })),
    );
  }

  /** Asks for a machine. */
  async create(provider: string, request: MachineRequest, { limitMs, onAccepted, late }: CreateCall): Promise<Machine> {
    const state = this.state(provider);
    let given = false;
    try {
      return await this.#call(provider, 'create', limitMs, undefined, async (inner) => {
        const answer = await state.config.provider.create(request, { signal: inner, onAccepted });
        const made = madeBy(provider, request.name, answer);
        if (given) late(made);
        return made;
      });
    } catch (error) {
      given = true;
      throw error;
    }
  }

  /**
   * Deletes a machine, when it is its turn.
   * @param until ends the wait for that: once it has begun, a deletion runs to its end
   */
  async delete(provider: string, machine: MachineRef, selector: Labels, until?: AbortSignal): Promise<void> {
    const state = this.state(provider);
    const leave = once(await state.deletes.enter({ key: '', priority: 0 }, until));
    try {
      await this.#call(provider, 'delete', DELETE_LIMIT_MS, undefined, (inner) =>
        state.config.provider.delete(machine, selector, { signal: inner, onAccepted: leave }),
      );
    } finally {
      leave();
    }
  }

  /** What a machine has written to its console; nothing where its provider cannot tell. Given up after some seconds. */
  async readConsole(provider: string, machine: MachineRef): Promise<readonly string[] | undefined> {
    const state = this.#states.get(provider);
    if (!state?.config.provider.readConsole) return undefined;
    const { config, consoles } = state;
    return await withLimit(
      this.#options.clock,
      CONSOLE_LIMIT_MS,
      `console on ${provider}`,
      undefined,
      async (signal) => {
        const leave = await consoles.enter({ key: '', priority: 0 }, signal);
        try {
          return await config.provider.readConsole?.(machine, { signal });
        } finally {
          leave();
        }
      },
    );
  }

  async #call<T>(
    provider: string,
    call: 'list' | 'create' | 'delete',
    limitMs: number,
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, metrics } = this.#options;
    const state = this.state(provider);
    const startedAt = clock.now();
    const measure = (result: string): void => {
      metrics.add('rungar_provider_calls_total', { provider, call, result });
      metrics.observe('rungar_provider_call_duration_seconds', { provider, call }, (clock.now() - startedAt) / 1000);
    };
    try {
      const answer = await withLimit(clock, limitMs, `${call} on ${provider}`, signal, run);
      measure('ok');
      if (call !== 'list') widen(state);
      return answer;
    } catch (error) {
      if (signal?.aborted) throw error;
      measure(errorCodeOf(error) === 'no_capacity' ? 'no_capacity' : 'error');
      if (call !== 'list') {
        if (clock.now() - startedAt >= limitMs) narrow(state);
        else widen(state);
      }
      throw error;
    }
  }

  #factsOf(state: ProviderState, scaleSet: string): ProviderFacts {
    const { config, hold } = state;
    const backoff = state.backoffs.get(scaleSet);
    const brake = state.brakes.get(scaleSet);
    const claimed = state.claims.get(scaleSet) ?? 0;
    return {
      name: config.name,
      weight: config.weight,
      maxRunners: config.maxRunners,
      disabled: state.disabled,
      ...(state.sameAs !== undefined && { sameAs: state.sameAs }),
      unreachable: state.known && !state.reachable,
      taken: this.taken(state),
      own: (this.#books.get(scaleSet)?.runnersOn(config.name) ?? 0) + claimed,
      claimed,
      ...(backoff && { backoff }),
      ...(brake && { brake }),
      ...(hold && { hold }),
    };
  }
}

const claimantOf = ({
  name,
  priority,
  placement,
}: ScaleSetPolicy): { scaleSet: string; priority: number; placement: ScaleSetPolicy['placement'] } => ({
  scaleSet: name,
  priority,
  placement,
});
