import { runnerLabels } from '@rungar/labels';
import {
  errorCodeOf,
  isRungarError,
  type JitRegistration,
  type Machine,
  type MachineRequest,
  messageOf,
  RungarError,
  type ScaleSetProvider,
} from '@rungar/model';
import { describeExclusions } from '../decide/placement.js';
import { adoptedEvent, createdEvent } from '../events.js';
import { noteJobStarted } from './carry-out.js';
import { cancelCreation, countFailure, newName } from './creations.js';
import { once } from './gate.js';
import { GITHUB_LIMIT_MS, lookUp, removeById, undoRegistration, unregister } from './registration.js';
import { removeRunner } from './remove-runner.js';
import { newRunner, type Runner } from './runners.js';
import type { Batch, Creation, ScaleSet } from './scale-set.js';
import { beginDeletion } from './settle.js';
import { withLimit } from './time-limit.js';

const MACHINE_DEADLINE_GRACE_MS = 10 * 60_000;

/** Begins to create a runner on a provider that has just been found usable: its place is taken at once. */
export function beginCreation(set: ScaleSet, provider: string, batch: Batch, ended: () => void): Creation {
  const creation: Creation = {
    name: newName(set),
    epoch: set.epoch,
    startedAt: set.deps.clock.now(),
    batch,
    cancel: new AbortController(),
    claim: set.deps.fleet.claim(provider, set.name),
    sent: false,
  };
  set.creations.set(creation.name, creation);
  set.track(create(set, creation, ended));
  return creation;
}

async function create(set: ScaleSet, creation: Creation, ended: () => void): Promise<void> {
  try {
    await new Attempt(set, creation).run();
  } catch (error) {
    const abandoned = creation.cancel.signal.aborted || !set.isCurrent(creation.epoch);
    if (!abandoned) countFailure(set, creation.batch, error, creation.name);
  } finally {
    set.creations.delete(creation.name);
    const isCurrent = set.isCurrent(creation.epoch);
    if (creation.sent && !isCurrent && set.session)
      set.unsettledClaims.push({ claim: creation.claim, since: set.deps.clock.now() });
    else creation.claim.release();
    if (isCurrent) ended();
  }
}

/** How an attempt with one registration ended. `register_anew`: it is used up, and the next provider gets another. */
type Placed = 'done' | 'register_anew';

/** One runner on its way: registered once, then placed on the first provider that takes it. */
class Attempt {
  readonly #set: ScaleSet;
  readonly #creation: Creation;
  readonly #tried = new Set<string>();
  readonly #specs = new Map<string, ScaleSetProvider>();
  readonly #refusals: string[] = [];
  #leaveProvider: (() => void) | undefined;
  #moved = false;

  constructor(set: ScaleSet, creation: Creation) {
    this.#set = set;
    this.#creation = creation;
  }

  async run(): Promise<void> {
    try {
      await this.#enterProvider(this.#set.deps.clock.now() + this.#set.policy.startTimeoutMs);
      while ((await this.#registerAndPlace()) === 'register_anew') this.#rename();
    } finally {
      this.#makeWay();
    }
  }

  /** Lets the next creation be registered for the provider this one was waiting for. */
  #makeWay(): void {
    this.#leaveProvider?.();
    this.#leaveProvider = undefined;
  }

  async #registerAndPlace(): Promise<Placed> {
    const registration = await this.#register();
    this.#creation.registration = registration;
    try {
      return await this.#place(registration);
    } catch (error) {
      // Of another epoch, it may be a runner by now: whoever holds the session decides.
      if (this.#isCurrent && this.#creation.registration) {
        await undoRegistration(this.#set, this.#creation.name, registration.runnerId);
      }
      throw error;
    }
  }

  get #isCurrent(): boolean {
    return this.#set.isCurrent(this.#creation.epoch) || (this.#creation.cancel.signal.aborted && !this.#creation.sent);
  }

  get #turn(): { key: string; priority: number } {
    return { key: this.#set.name, priority: this.#set.policy.priority };
  }

  /** Keeps the number of registrations that wait for a provider small, so that none grows old. */
  async #enterProvider(until: number): Promise<void> {
    for (;;) {
      this.#makeWay();
      const { provider } = this.#creation.claim;
      this.#leaveProvider = await this.#waitForTurn(this.#set.deps.fleet.state(provider).ahead, until);
      if (!this.#isSkipped) return;
      this.#moveClaim();
    }
  }

  /** Whether others have learned meanwhile that its provider is not to be asked now. */
  get #isSkipped(): boolean {
    return this.#set.deps.fleet.isSkipped(this.#creation.claim.provider, this.#set.name);
  }

  async #register(): Promise<JitRegistration> {
    const { registrations } = this.#set.deps;
    const leave = await registrations.enter(this.#turn, this.#creation.cancel.signal);
    try {
      return await this.#askForRegistration().catch(async (error: unknown) => {
        if (!isRungarError(error, 'busy')) throw error;
        await this.#clearNameClash();
        return await this.#askForRegistration();
      });
    } finally {
      leave();
    }
  }

  /** Not cancelled with the creation: GitHub may register it all the same, and then only the answer tells its id. */
  #askForRegistration(): Promise<JitRegistration> {
    const { record, deps } = this.#set;
    const { name } = this.#creation;
    if (!record) throw new RungarError('unavailable', `scale set ${this.#set.name} is not known to GitHub yet`);
    return withLimit(deps.clock, GITHUB_LIMIT_MS, `registration of ${name}`, undefined, (signal) =>
      deps.github.createJitConfig(record, name, { signal }),
    );
  }

  /** @returns the name it had */
  #rename(): string {
    const { creations } = this.#set;
    const old = this.#creation.name;
    creations.delete(old);
    this.#creation.name = newName(this.#set);
    creations.set(this.#creation.name, this.#creation);
    return old;
  }

  /** A registration whose answer was lost holds the name: it goes, and another name is taken. */
  async #clearNameClash(): Promise<void> {
    const set = this.#set;
    const old = this.#rename();
    const found = await lookUp(set, old).catch(() => undefined);
    if (!found || found.scaleSetId !== set.record?.id || set.book.runners.has(old) || set.book.leaving.has(old)) return;
    await removeById(set, found.id).catch((error: unknown) => {
      set.log.warn('Registration of a lost answer stays; it is removed later', { runner: old, error });
    });
  }

  /** Tries one provider after the other until the runner counts, or is left to whoever holds the session. */
  async #place(registration: JitRegistration): Promise<Placed> {
    const { clock } = this.#set.deps;
    const until = clock.now() + this.#set.policy.startTimeoutMs;
    for (;;) {
      if (this.#moved) await this.#enterProvider(until);
      this.#moved = false;
      const { claim, cancel } = this.#creation;
      const spec = this.#specOf(claim.provider);
      const state = this.#set.deps.fleet.state(claim.provider);
      const leave = once(await this.#waitForTurn(state.creates, until));
      try {
        cancel.signal.throwIfAborted();
        const sentAt = clock.now();
        if (this.#isSkipped) {
          this.#moveClaim();
          continue;
        }
        this.#creation.sent = true;
        const machine = await this.#set.deps.fleet
          .create(claim.provider, this.#requestFor(registration, spec), {
            limitMs: until - sentAt,
            onAccepted: () => {
              leave();
              if (this.#creation.claim === claim) this.#makeWay();
            },
            late: (machine) => this.#cameLate(claim.provider, machine),
          })
          .catch((error: unknown) => this.#refused(error, sentAt, until));
        if (machine === 'next') continue;
        if (machine === 'done' || machine === 'register_anew') return machine;
        this.#count(machine, registration, sentAt);
        return 'done';
      } finally {
        leave();
      }
    }
  }

  async #waitForTurn(
    gate: { enter(turn: { key: string; priority: number }, signal: AbortSignal): Promise<() => void> },
    until: number,
  ): Promise<() => void> {
    const { clock } = this.#set.deps;
    const { name, cancel } = this.#creation;
    return await withLimit(clock, until - clock.now(), `place for ${name}`, cancel.signal, (signal) =>
      gate.enter(this.#turn, signal),
    );
  }

  /** As it was when that provider was to be asked: by the time it answers, another configuration may be in force. */
  #specOf(provider: string): ScaleSetProvider {
    const found = this.#specs.get(provider) ?? this.#set.policy.providers.find(({ name }) => name === provider);
    if (!found) throw new TypeError(`scale set ${this.#set.name} does not use ${provider}`);
    this.#specs.set(provider, found);
    return found;
  }

  #requestFor(registration: JitRegistration, { spec, revision }: ScaleSetProvider): MachineRequest {
    const { name, policy, deps } = this.#set;
    const { maxAgeMs, priority } = policy;
    return {
      name: this.#creation.name,
      labels: runnerLabels({ installation: deps.installation, scaleSet: name, runner: this.#creation.name, revision }),
      jitConfig: registration.jitConfig,
      spec,
      ...(priority !== 0 && { priority }),
      ...(maxAgeMs !== undefined && {
        deadline: deps.clock.wallNow() + maxAgeMs + deps.reconcileIntervalMs + MACHINE_DEADLINE_GRACE_MS,
      }),
    };
  }

  /**
   * A provider refused. What it may have left behind goes first, and only then is the next one asked.
   * @throws the refusal, or what to say of all of them, when nobody else is to be asked
   */
  async #refused(error: unknown, sentAt: number, until: number): Promise<Placed | 'next'> {
    const set = this.#set;
    const { fleet, clock } = set.deps;
    const { name, claim, cancel } = this.#creation;
    const { provider } = claim;
    if (!set.isCurrent(this.#creation.epoch)) throw error;
    fleet.refused(provider, set.name, name, sentAt, error);
    const certain = isRungarError(error, 'no_capacity') || isRungarError(error, 'invalid_argument');
    if (!certain && (await this.#giveUpRegistration(error)) === 'busy') return 'done';
    try {
      await fleet.delete(provider, { name }, set.selector, set.sessionSignal);
    } catch (left) {
      if (!set.isCurrent(this.#creation.epoch)) throw error;
      throw this.#strand(error, left);
    }
    if (!set.isCurrent(this.#creation.epoch)) throw error;
    this.#creation.sent = false;
    if (clock.now() >= until) {
      this.#sendOthersAway(provider);
      throw error;
    }
    this.#refusals.push(`${provider} ${messageOf(error)}`);
    cancel.signal.throwIfAborted();
    this.#moveClaim();
    if (certain) return 'next';
    await this.#enterProvider(until);
    this.#moved = false;
    return 'register_anew';
  }

  /**
   * Nobody knows whether there is a machine: its runner may have connected, and even have a job. So the registration
   * goes first here too, and a runner GitHub shows busy counts, whatever its provider said.
   */
  async #giveUpRegistration(error: unknown): Promise<'gone' | 'busy'> {
    const set = this.#set;
    const { name, claim, registration, epoch } = this.#creation;
    const known = registration && { registrationId: registration.runnerId };
    const end = await unregister(set, { name, ...known }, set.sessionSignal);
    if (!set.isCurrent(epoch)) throw error;
    if (end.kind === 'failed') throw this.#strand(error, end.error);
    if (end.kind === 'gone' && !this.#creation.started) {
      delete this.#creation.registration;
      return 'gone';
    }
    const runner = this.#toRunner(claim.provider, undefined, false);
    set.creations.delete(name);
    set.book.add(runner);
    set.book.setState(runner, 'busy');
    claim.release();
    this.#catchUp(runner);
    set.showCounts();
    return 'busy';
  }

  /** Those that wait for a provider that does not answer are begun anew elsewhere. */
  #sendOthersAway(provider: string): void {
    for (const other of this.#set.creations.values()) {
      if (other !== this.#creation && !other.sent && other.claim.provider === provider) cancelCreation(other);
    }
  }

  /**
   * One step: the claim moves to the next provider.
   * @throws RungarError `no_capacity` when there is none
   */
  #moveClaim(): void {
    const set = this.#set;
    const { fleet } = set.deps;
    const { claim } = this.#creation;
    claim.release();
    this.#tried.add(claim.provider);
    const { usable, excluded } = fleet.candidates(set.policy, this.#tried);
    const [next] = usable;
    if (!next) {
      fleet.renewHolds(set.policy);
      const others = excluded.length > 0 ? [describeExclusions(set.name, excluded)] : [];
      throw new RungarError('no_capacity', [...this.#refusals, ...others].join('; ') || `${claim.provider} is skipped`);
    }
    this.#creation.claim = fleet.claim(next.name, set.name);
    this.#moved = true;
  }

  /**
   * One step: the name stops being created and its leftover begins to leave, registration first where that still
   * stands. @returns what to say of it
   */
  #strand(error: unknown, left: unknown): RungarError {
    const set = this.#set;
    const { name, claim, registration } = this.#creation;
    const { provider } = claim;
    const runner = this.#toRunner(provider, undefined, false);
    if (registration) runner.registrationId = registration.runnerId;
    set.creations.delete(name);
    const leaving = set.book.addLeaving(runner, { recorded: false, registered: registration !== undefined });
    claim.release();
    delete this.#creation.registration;
    beginDeletion(set, leaving);
    const text = `${messageOf(error)}; and what it may have left on ${provider} cannot be removed: ${messageOf(left)}`;
    return new RungarError(errorCodeOf(error), text, { cause: error });
  }

  /** One step: the name stops being created and the runner counts; only then is its claim released. */
  #count(machine: Machine, registration: JitRegistration, sentAt: number): void {
    const set = this.#set;
    const { name, epoch, claim } = this.#creation;
    const { provider } = claim;
    const sameSession = set.isCurrent(epoch);
    if (!sameSession && !set.serving) {
      set.log.info('Runner created after its session had ended; it is left for the next one', {
        runner: name,
        provider,
      });
      return;
    }
    const runner = this.#toRunner(provider, machine, !sameSession);
    runner.registrationId = registration.runnerId;
    set.creations.delete(name);
    set.book.add(runner);
    claim.release();
    const at = { runner: name, scaleSet: set.name, provider };
    if (sameSession) this.#announce(runner, sentAt);
    else set.emit(adoptedEvent(at, 'in_pass'));
    this.#catchUp(runner);
    set.showCounts();
  }

  #announce(runner: Runner, sentAt: number): void {
    const set = this.#set;
    const { deps } = set;
    const { name } = runner;
    const { startedAt } = this.#creation;
    const { provider } = runner.place;
    deps.fleet.placed(set.policy, provider, sentAt);
    set.noRoomSaid.clear();
    const createMs = deps.clock.now() - startedAt;
    deps.metrics.add('rungar_runners_created_total', { scale_set: set.name, provider });
    deps.metrics.observe('rungar_runner_create_duration_seconds', { scale_set: set.name, provider }, createMs / 1000);
    set.log.info('Runner created', { runner: name, provider, size: runner.size, createDurationMs: createMs });
    set.emit(createdEvent({ runner: name, scaleSet: set.name, provider }, runner.size, createMs));
  }

  /** A job can begin, and even end, before the provider says that the machine is there. */
  #catchUp(runner: Runner): void {
    const set = this.#set;
    const { started, completed } = this.#creation;
    if (started) noteJobStarted(set, runner, started);
    if (completed) set.track(removeRunner(set, runner.name, { reason: 'job_completed', proof: ['job_message'] }));
  }

  /** The provider has made it after all, after it was given up: it goes again, while that is still ours to say. */
  #cameLate(provider: string, machine: Machine): void {
    const set = this.#set;
    if (!set.canAct || !set.isCurrent(this.#creation.epoch)) return;
    // Its registration is still being given up: a runner with a job stays, and another is deleted by its name then.
    if (machine.name === this.#creation.name && this.#creation.registration) return;
    if (set.book.runners.has(machine.name) || set.book.leaving.has(machine.name)) return;
    beginDeletion(set, set.book.addLeaving(this.#toRunner(provider, machine, false), { recorded: false }));
  }

  #toRunner(provider: string, machine: Machine | undefined, adopted: boolean): Runner {
    const { deps } = this.#set;
    const { revision, size } = this.#specOf(provider);
    const now = deps.clock.now();
    return newRunner({
      // A machine that comes late has the name it was asked for under, whatever the creation is called by now.
      name: machine?.name ?? this.#creation.name,
      place: { provider, ...(machine && { id: machine.id, labels: machine.labels }) },
      state: 'starting',
      size,
      adopted,
      revision,
      createdAt: now,
      countedAt: now,
      listed: false,
    });
  }
}
