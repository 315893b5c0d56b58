import { runnerLabels, runnerName } from '@rungar/labels';
import {
  type ErrorCode,
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
import { GITHUB_LIMIT_MS, lookUp, removeById, undoRegistration } from './registration.js';
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

/** Gives up a creation that no provider has been asked for: its place is free at once. */
export function cancelCreation(creation: Creation): void {
  creation.cancel.abort(new RungarError('unavailable', `${creation.name} is not needed any more`));
  creation.claim.release();
}

/** Counts a creation that came to nothing; those of one decision count once. */
export function countFailure(set: ScaleSet, batch: Batch, error: unknown, runner?: string): void {
  set.creationFailed = true;
  if (batch.failed) return;
  batch.failed = true;
  const full = errorCodeOf(error) === 'no_capacity';
  set.deps.metrics.add('rungar_scale_up_failures_total', {
    scale_set: set.name,
    reason: full ? 'no_capacity' : 'error',
  });
  const fields = { ...(runner !== undefined && { runner }), error };
  if (full) set.log.warn('No capacity for a runner', fields);
  else set.log.error('Runner could not be created', fields);
}

async function create(set: ScaleSet, creation: Creation, ended: () => void): Promise<void> {
  try {
    await new Attempt(set, creation).run();
  } catch (error) {
    const abandoned = creation.cancel.signal.aborted || !set.isCurrent(creation.epoch);
    if (!abandoned) countFailure(set, creation.batch, error, creation.name);
  } finally {
    set.creations.delete(creation.name);
    creation.claim.release();
    if (set.isCurrent(creation.epoch)) ended();
  }
}

/** One runner on its way: registered once, then placed on the first provider that takes it. */
class Attempt {
  readonly #set: ScaleSet;
  readonly #creation: Creation;
  readonly #tried = new Set<string>();
  readonly #refusals: string[] = [];
  #leaveProvider: (() => void) | undefined;

  constructor(set: ScaleSet, creation: Creation) {
    this.#set = set;
    this.#creation = creation;
  }

  async run(): Promise<void> {
    try {
      await this.#enterProvider();
      const registration = await this.#register();
      this.#creation.registration = registration;
      try {
        await this.#place(registration);
      } catch (error) {
        // Of another epoch, it may be a runner by now: whoever holds the session decides.
        if (this.#isCurrent) await undoRegistration(this.#set, this.#creation.name, registration.runnerId);
        throw error;
      }
    } finally {
      this.#leaveProvider?.();
    }
  }

  get #isCurrent(): boolean {
    return this.#set.isCurrent(this.#creation.epoch) || (this.#creation.cancel.signal.aborted && !this.#creation.sent);
  }

  get #turn(): { key: string; priority: number } {
    return { key: this.#set.name, priority: this.#set.policy.priority };
  }

  /** Keeps the number of registrations that wait for a provider small, so that none grows old. */
  async #enterProvider(): Promise<void> {
    this.#leaveProvider?.();
    this.#leaveProvider = undefined;
    const { ahead } = this.#set.deps.fleet.state(this.#creation.claim.provider);
    this.#leaveProvider = await ahead.enter(this.#turn, this.#creation.cancel.signal);
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

  /** A registration whose answer was lost holds the name: it goes, and another name is taken. */
  async #clearNameClash(): Promise<void> {
    const set = this.#set;
    const creation = this.#creation;
    const old = creation.name;
    set.creations.delete(old);
    creation.name = newName(set);
    set.creations.set(creation.name, creation);
    const found = await lookUp(set, old).catch(() => undefined);
    if (!found || found.scaleSetId !== set.record?.id || set.book.runners.has(old) || set.book.leaving.has(old)) return;
    await removeById(set, found.id).catch((error: unknown) => {
      set.log.warn('Registration of a lost answer stays; it is removed later', { runner: old, error });
    });
  }

  /** Ends once the runner counts, or was left to whoever holds the session. */
  async #place(registration: JitRegistration): Promise<void> {
    const { clock } = this.#set.deps;
    const until = clock.now() + this.#set.policy.startTimeoutMs;
    for (;;) {
      const { claim, cancel } = this.#creation;
      const spec = this.#specOf(claim.provider);
      const state = this.#set.deps.fleet.state(claim.provider);
      const leave = await this.#waitForTurn(state.creates, until);
      try {
        cancel.signal.throwIfAborted();
        const sentAt = clock.now();
        this.#creation.sent = true;
        const machine = await this.#set.deps.fleet
          .create(claim.provider, this.#requestFor(registration, spec), until - sentAt, (late) =>
            this.#cameLate(claim.provider, late),
          )
          .catch((error: unknown) => this.#refused(error, sentAt, until));
        if (!machine) continue;
        this.#count(machine, registration);
        return;
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

  #specOf(provider: string): ScaleSetProvider {
    const found = this.#set.policy.providers.find(({ name }) => name === provider);
    if (!found) throw new TypeError(`scale set ${this.#set.name} does not use ${provider}`);
    return found;
  }

  #requestFor(registration: JitRegistration, { spec, revision }: ScaleSetProvider): MachineRequest {
    const { name, policy, deps } = this.#set;
    const { maxAgeMs } = policy;
    return {
      name: this.#creation.name,
      labels: runnerLabels({ installation: deps.installation, scaleSet: name, runner: this.#creation.name, revision }),
      jitConfig: registration.jitConfig,
      spec,
      ...(maxAgeMs !== undefined && {
        deadline: deps.clock.wallNow() + maxAgeMs + deps.reconcileIntervalMs + MACHINE_DEADLINE_GRACE_MS,
      }),
    };
  }

  /**
   * A provider refused. What it may have left behind goes first, and only then is the next one asked.
   * @throws the refusal, or what to say of all of them, when nobody else is to be asked
   */
  async #refused(error: unknown, sentAt: number, until: number): Promise<undefined> {
    const set = this.#set;
    const { fleet, clock } = set.deps;
    const { name, claim } = this.#creation;
    const { provider } = claim;
    if (!set.isCurrent(this.#creation.epoch)) throw error;
    fleet.refused(provider, set.name, name, sentAt, error);
    try {
      await fleet.delete(provider, { name }, set.selector);
    } catch (left) {
      this.#strand(provider);
      throw new RungarError(
        errorCodeOf(error),
        `${messageOf(error)}; and what it left on ${provider} cannot be deleted: ${messageOf(left)}`,
        {
          cause: error,
        },
      );
    }
    claim.release();
    if (clock.now() >= until) throw error;
    this.#tried.add(provider);
    this.#refusals.push(`${provider} ${messageOf(error)}`);
    this.#creation.sent = false;
    await this.#moveOn(errorCodeOf(error));
    return undefined;
  }

  async #moveOn(code: ErrorCode): Promise<void> {
    const set = this.#set;
    const { fleet } = set.deps;
    this.#creation.cancel.signal.throwIfAborted();
    const { usable, excluded } = fleet.candidates(set.policy, this.#tried);
    const [next] = usable;
    if (!next) {
      fleet.renewHolds(set.policy);
      const others = excluded.length > 0 ? `; ${describeExclusions(set.name, excluded)}` : '';
      throw new RungarError(
        code === 'no_capacity' || excluded.length > 0 ? 'no_capacity' : code,
        `${this.#refusals.join('; ')}${others}`,
      );
    }
    this.#creation.claim = fleet.claim(next.name, set.name);
    await this.#enterProvider();
  }

  /** One step: the name stops being created and its leftover begins to leave. */
  #strand(provider: string): void {
    const set = this.#set;
    const { name, claim } = this.#creation;
    const runner = this.#toRunner(provider, undefined, false);
    set.creations.delete(name);
    claim.release();
    const leaving = set.book.addLeaving(runner, { recorded: false });
    beginDeletion(set, leaving);
  }

  /** One step: the name stops being created and the runner counts; only then is its claim released. */
  #count(machine: Machine, registration: JitRegistration): void {
    const set = this.#set;
    const { deps } = set;
    const { name, epoch, claim, startedAt } = this.#creation;
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
    if (!sameSession) {
      set.emit(adoptedEvent(at, 'in_pass'));
      return;
    }
    deps.fleet.placed(set.policy, provider);
    const createMs = deps.clock.now() - startedAt;
    deps.metrics.add('rungar_runners_created_total', { scale_set: set.name, provider });
    deps.metrics.observe('rungar_runner_create_duration_seconds', { scale_set: set.name, provider }, createMs / 1000);
    set.log.info('Runner created', { runner: name, provider, size: runner.size, createDurationMs: createMs });
    set.emit(createdEvent(at, runner.size, createMs));
    set.showCounts();
  }

  /** The provider has made it after all, after it was given up: it goes again, while that is still ours to say. */
  #cameLate(provider: string, machine: Machine): void {
    const set = this.#set;
    if (!set.canAct || !set.isCurrent(this.#creation.epoch)) return;
    if (set.book.runners.has(machine.name) || set.book.leaving.has(machine.name)) return;
    beginDeletion(set, set.book.addLeaving(this.#toRunner(provider, machine, false), { recorded: false }));
  }

  #toRunner(provider: string, machine: Machine | undefined, adopted: boolean): Runner {
    const { deps } = this.#set;
    const { revision, size } = this.#specOf(provider);
    const now = deps.clock.now();
    return newRunner({
      name: this.#creation.name,
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

/** A name nobody has: of a runner, a creation, one that leaves or one that has just left. */
function newName(set: ScaleSet): string {
  for (;;) {
    const suffix = Array.from(set.deps.random.bytes(4), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const name = runnerName(set.name, suffix);
    const { runners, leaving, left } = set.book;
    if (![runners, leaving, left, set.creations].some((known) => known.has(name))) return name;
  }
}
