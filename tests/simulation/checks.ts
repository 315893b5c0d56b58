import { LABEL } from '@rungar/labels';
import type { LogFields, MachineRef, MachineRequest, ScaleSetPolicy } from '@rungar/model';
import type { Daemon } from './daemon.js';
import type { GitHubWatch, SimGitHub, SimJob, SimRunner } from './github.js';
import type { ProviderWatch, SimMachine, SimProvider } from './provider.js';
import { type Life, MINUTE, note, SECOND, type World } from './world.js';

/** Something that must never be. */
export interface Violation {
  /** Milliseconds from the start of the run. */
  readonly at: number;
  readonly step: number;
  readonly rule: string;
  readonly subject: string;
  readonly what: string;
  /** What else its story is about. */
  readonly also: readonly string[];
}

interface Sent {
  readonly provider: string;
}

/** What one daemon knows of one scale set, as far as it can be seen from outside. */
interface Held {
  /** Of the session it has, or had last. */
  token: number;
  holds: boolean;
  /** The step in which it learned that the session is gone. */
  lostStep: number;
  /** Names a provider has been asked for and has not answered yet. */
  readonly asked: Map<string, Sent>;
  /** Names registered that no provider has been asked for, or that it has refused. */
  readonly unsent: Set<string>;
  /** When the end of a runner was recorded. */
  readonly ended: Map<string, number>;
}

interface Reach {
  /** When its listings began to fail. */
  failingSince: number | undefined;
  /** When they came to work again, and when those before had begun to fail. */
  okSince: number;
  failedSince: number;
}

/** How old the facts may be that a decision rests on: answers take up to a minute, and so do the calls in between. */
const STALE_MS = 130 * SECOND;
/** An answer counts from when its question was begun, and may take so long: by as much a clock can be ahead. */
const ANSWER_MS = 60 * SECOND;
/**
 * How soon after a listing its machines have to be counted. The pass that is under way may have begun before it and wait
 * a minute for another provider, and so may the next one, an interval later.
 */
const SEEN_MS = 160 * SECOND;
const WRITE_OFF_MS = 5 * MINUTE;
const LEFT_GRACE_MS = MINUTE;

/** Watches both sides of every port, and says what should not have been. */
export class Checks implements GitHubWatch, ProviderWatch {
  readonly violations: Violation[] = [];
  /** How often each kind of removal was looked at, so that a check that has lost its object is noticed. */
  readonly looked = new Map<string, number>();
  readonly world: World;
  readonly #start: number;
  readonly #held = new WeakMap<Life, Map<string, Held>>();
  readonly #reach = new WeakMap<Life, Map<string, Reach>>();
  readonly #removed = new Map<string, { readonly offlineSince: number | undefined }>();
  #tokens = 0;
  github!: SimGitHub;
  providers!: ReadonlyMap<string, SimProvider>;
  readonly daemons = new WeakMap<Life, Daemon>();

  constructor(world: World) {
    this.world = world;
    this.#start = world.scheduler.now;
  }

  report(rule: string, subject: string, what: string, also: readonly string[] = []): void {
    const { now, steps } = this.world.scheduler;
    note(this.world, 'VIOLATION', subject, `${rule}: ${what}`);
    this.violations.push({ at: now - this.#start, step: steps, rule, subject, what, also });
  }

  // GitHub

  onSession(life: Life, scaleSet: string, holds: boolean): void {
    const held = this.held(life, scaleSet);
    if (holds) {
      held.holds = true;
      held.token = ++this.#tokens;
    } else if (held.holds) {
      held.holds = false;
      held.lostStep = this.world.scheduler.steps;
    }
  }

  onJitCall(life: Life, scaleSet: string, name: string): void {
    const held = this.held(life, scaleSet);
    this.#mustHold(life, held, scaleSet, name, 'asks for a registration');
    held.unsent.add(name);
    // Of so many names drawn at random, one comes a second time now and then: that is another runner.
    held.ended.delete(name);
  }

  onRemovalCall(life: Life, runner: SimRunner | undefined, _id: number): void {
    if (!runner) return;
    const held = this.held(life, runner.scaleSet);
    // What it has registered and not used may be taken back at any time.
    if (held.unsent.has(runner.name) && this.#machinesOf(runner.name).length === 0) return;
    const policy = this.#policy(life, runner.scaleSet);
    if (runner.foreign || !policy || runner.setId !== this.github.set(runner.scaleSet).id) {
      this.report('foreign registration touched', runner.name, `by ${life.name}`);
      return;
    }
    this.#mustHold(life, held, runner.scaleSet, runner.name, 'removes a registration');
  }

  onRemoved(_life: Life, runner: SimRunner): void {
    this.#removed.set(runner.name, { offlineSince: runner.online ? undefined : runner.offlineSince });
    keepNewest(this.#removed, 2_000);
  }

  onJobLost(job: SimJob, { name }: SimRunner): void {
    this.report('a job is lost', name, job.id);
  }

  // Providers

  onListed(life: Life, { name }: SimProvider, machines: readonly SimMachine[] | undefined): void {
    const { now } = this.world.scheduler;
    const reach = this.#reachOf(life, name);
    if (!machines) {
      reach.failingSince ??= now;
      return;
    }
    if (reach.failingSince !== undefined) {
      reach.okSince = now;
      reach.failedSince = reach.failingSince;
    }
    reach.failingSince = undefined;
    for (const machine of machines) {
      if (machine.foreign) continue;
      const { token } = this.held(life, machine.labels[LABEL.scaleSet] ?? '');
      if (machine.knownBy === token) continue;
      machine.knownBy = token;
      machine.knownSince = now;
    }
  }

  onCreateCall(life: Life, provider: SimProvider, { name, labels }: MachineRequest): void {
    const scaleSet = labels[LABEL.scaleSet] ?? '';
    const held = this.held(life, scaleSet);
    held.unsent.delete(name);
    this.#mustHold(life, held, scaleSet, name, 'asks for a machine');
    const registered = this.github.byName.get(name);
    if (!registered && !this.#mayHaveGone(scaleSet))
      this.report('machine before registration', name, `${life.name} asks ${provider.name} for it`);
    this.#checkScaleSetLimit(life, held, scaleSet, name);
    this.#checkProviderLimit(life, provider, name);
    held.asked.set(name, { provider: provider.name });
  }

  onCreateEnd(life: Life, { name: provider }: SimProvider, name: string, made: boolean): void {
    const scaleSet = this.#scaleSetOf(name);
    const held = this.held(life, scaleSet);
    held.asked.delete(name);
    if (!made) {
      held.unsent.add(name);
      keepNewest(held.unsent, 3_000);
      return;
    }
    for (const machine of this.providers.get(provider)?.byName.get(name) ?? []) {
      machine.knownBy = held.token;
      machine.knownSince = held.holds ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    }
  }

  onDeleteCall(life: Life, provider: SimProvider, ref: MachineRef): void {
    const named = [...(provider.byName.get(ref.name) ?? [])];
    const meant = ref.id === undefined ? named : named.filter(({ id }) => id === ref.id);
    const touched = meant.filter(({ foreign }) => ref.id !== undefined || !foreign);
    const scaleSet = this.#scaleSetOf(ref.name);
    const held = this.held(life, scaleSet);
    for (const machine of touched) {
      this.#checkDeletion(life, provider, machine);
      machine.deletedBy = held.token;
    }
    this.#mustHold(life, held, scaleSet, ref.name, 'deletes a machine');
  }

  #checkDeletion(life: Life, provider: SimProvider, machine: SimMachine): void {
    const { name, labels } = machine;
    const policy = this.#policy(life, labels[LABEL.scaleSet] ?? '');
    if (machine.foreign || !policy) {
      this.report('foreign machine touched', name, `${machine.id} by ${life.name}`);
      return;
    }
    if (machine.state === 'stopped') return;
    const runner = this.github.byName.get(name);
    if (!runner) return;
    if (this.#isForced(policy, machine, runner)) {
      if (runner.job) runner.job.doomed = true;
      return;
    }
    if (runner.job) this.report('busy runner removed', name, `job ${runner.job.id} on ${provider.name}`);
    else this.report('machine before registration', name, `deleted on ${provider.name} by ${life.name}`);
  }

  /** Whether the machine may go whatever GitHub says: it is too old, or has been offline for too long. */
  #isForced(policy: ScaleSetPolicy, machine: SimMachine, runner: SimRunner): boolean {
    const { now } = this.world.scheduler;
    if (policy.maxAgeMs !== undefined && now - machine.createdAt > policy.maxAgeMs) return true;
    return this.#wasOffline(runner, policy.startTimeoutMs);
  }

  /** Whether it has been offline for longer than that, but for what nobody can have seen yet. */
  #wasOffline({ online, onlineSince, offlineSince }: SimRunner, limitMs: number): boolean {
    const { now } = this.world.scheduler;
    if (online && now - (onlineSince ?? now) > STALE_MS) return false;
    return now - offlineSince > limitMs - ANSWER_MS;
  }

  // What is written down

  /** A line of a daemon's log: the one that says what is about to be removed, and why. */
  onLog(life: Life, message: string, fields: LogFields): void {
    if (message !== 'Removing a runner') return;
    const { runner: name, reason, proof, scale_set: scaleSet } = fields as Readonly<Record<string, string>>;
    const policy = this.#policy(life, scaleSet ?? '');
    if (!policy || name === undefined || reason === undefined) return;
    this.looked.set(reason, (this.looked.get(reason) ?? 0) + 1);
    const lie = this.#isTrue(policy, name, reason, proof ?? '');
    if (lie !== undefined) this.report('removed for a reason that is not so', name, `${reason}: ${lie}`);
  }

  #isTrue(policy: ScaleSetPolicy, name: string, reason: string, proof: string): string | undefined {
    const { now } = this.world.scheduler;
    const runner = this.github.byName.get(name);
    const machines = this.#machinesOf(name);
    const known = runner !== undefined && now - runner.registeredAt > STALE_MS;
    switch (reason) {
      case 'unregistered':
        if (proof.includes('machine_not_listed'))
          return machines.some(({ hiddenUntil, state }) => hiddenUntil <= now && state !== 'stopped')
            ? 'its machine is there'
            : undefined;
        return known ? 'it is registered' : undefined;
      case 'never_connected':
        if (runner?.online && now - (runner.onlineSince ?? now) > STALE_MS) return 'it is connected';
        // A copy may be all that is left of an older machine: that is no younger a runner.
        return machines.length === 0 || now - this.#firstMade(name) > policy.startTimeoutMs ? undefined : 'it is young';
      case 'disconnected':
      case 'stuck':
        return runner && !this.#wasOffline(runner, policy.startTimeoutMs) ? 'it is, or was, connected' : undefined;
      case 'outdated': {
        const revisionOf = (provider: string): string | undefined =>
          policy.providers.find((one) => one.name === provider)?.revision;
        return machines.length > 0 &&
          machines.every(({ provider, labels }) => labels[LABEL.revision] === revisionOf(provider))
          ? 'its revision is the current one'
          : undefined;
      }
      case 'expired': {
        const limit = Math.min(policy.maxAgeMs ?? Infinity, policy.maxIdleAgeMs ?? Infinity);
        return machines.length > 0 && machines.every(({ createdAt }) => now - createdAt <= limit)
          ? 'it is not old enough'
          : undefined;
      }
      default:
        return undefined;
    }
  }

  onEvent(
    life: Life,
    {
      name,
      action,
      scaleSet = '',
      attributes = {},
      provider,
    }: {
      readonly name: string;
      readonly action: string;
      readonly scaleSet?: string;
      readonly provider?: string;
      readonly attributes?: Readonly<Record<string, string>>;
    },
  ): void {
    const { now } = this.world.scheduler;
    const { ended } = this.held(life, scaleSet);
    note(this.world, `event ${action}`, name, `${life.name} ${attributes.reason ?? ''}`);
    if (action === 'adopted') {
      const endedAt = ended.get(name);
      if (endedAt !== undefined && now - endedAt < LEFT_GRACE_MS)
        this.report('adopted though it has just left', name, `${now - endedAt} ms after its end`);
      ended.delete(name);
      if (this.held(life, scaleSet).asked.has(name)) this.report('adopted while it is being created', name, life.name);
    }
    if (action !== 'removed' && action !== 'lost') return;
    const { reason = '' } = attributes;
    this.looked.set(reason, (this.looked.get(reason) ?? 0) + 1);
    if (reason === 'orphaned') {
      this.#checkOrphan(life, scaleSet, name);
      return;
    }
    if (ended.has(name)) this.report('the end of a runner is recorded twice', name, reason);
    // One that was given up unseen may be seen again, and then it ends after all.
    if (reason !== 'unreachable') ended.set(name, now);
    keepNewest(ended, 3_000);
    if (reason === 'unreachable') this.#checkWriteOff(life, provider ?? '', name);
  }

  #checkOrphan(life: Life, scaleSet: string, name: string): void {
    const { now } = this.world.scheduler;
    const { offlineSince } = this.#removed.get(name) ?? {};
    const limit = this.#policy(life, scaleSet)?.startTimeoutMs ?? 0;
    if (offlineSince !== undefined && now - offlineSince <= limit - ANSWER_MS)
      this.report('orphan removed too soon', name, `${now - offlineSince} ms offline`);
    for (const machine of this.#machinesOf(name)) {
      const reach = this.#reachOf(life, machine.provider);
      const quiet = reach.failingSince !== undefined || now - reach.okSince < SEEN_MS || this.#isPartDown(machine);
      if (!machine.leftover && machine.state !== 'stopped' && !quiet && now - machine.createdAt > STALE_MS)
        this.report('orphan removed though it has a machine', name, machine.id);
    }
  }

  #checkWriteOff(life: Life, provider: string, name: string): void {
    const { now } = this.world.scheduler;
    const reach = this.#reachOf(life, provider);
    // What one listing shows, the pass of another scale set may not know yet.
    const justBack = now - reach.okSince < STALE_MS ? reach.failedSince : undefined;
    const silentSince = reach.failingSince ?? justBack;
    const silent = silentSince !== undefined && now - silentSince > WRITE_OFF_MS - STALE_MS;
    const source = this.providers.get(provider);
    const partSilent = source !== undefined && now - source.partDownUntil < STALE_MS;
    const doubtful = this.#machinesOf(name).some(
      ({ unknownSince }) => unknownSince !== undefined && now - unknownSince > WRITE_OFF_MS - SECOND,
    );
    // A copy elsewhere may be younger, and is another machine.
    const young = this.#machinesOf(name).some(
      (machine) => machine.provider === provider && now - machine.createdAt < WRITE_OFF_MS,
    );
    if (young || (!silent && !partSilent && !doubtful)) this.report('written off too soon', name, provider);
  }

  // Limits

  #checkScaleSetLimit(life: Life, held: Held, scaleSet: string, name: string): void {
    const limit = this.daemons.get(life)?.scaleSetLimit(scaleSet) ?? 0;
    const { registered } = this.github.set(scaleSet);
    if (registered.size <= limit) return;
    const others = [...held.asked.keys()].filter((asked) => asked !== name);
    for (const runner of registered) {
      if (runner.name === name || held.asked.has(runner.name)) continue;
      if (this.#machinesOf(runner.name).some((machine) => this.#isRunner(life, held, machine)))
        others.push(runner.name);
    }
    if (others.length < limit) return;
    const what = `${others.length} others of ${limit} in ${scaleSet}: ${others.join(' ')}`;
    this.report("more than the scale set's max_runners", name, what, others);
  }

  #checkProviderLimit(life: Life, provider: SimProvider, name: string): void {
    const limit = this.daemons.get(life)?.providerLimit(provider.name) ?? 0;
    if (limit === 0) return;
    let count = 1;
    for (const [other, held] of this.#held.get(life) ?? []) {
      if (!held.holds || !this.#policy(life, other)) continue;
      for (const [asked, sent] of held.asked) if (asked !== name && sent.provider === provider.name) count++;
      for (const machine of provider.machines.values()) {
        if (machine.labels[LABEL.scaleSet] !== other || held.asked.has(machine.name)) continue;
        if (this.#mustCount(life, held, machine)) count++;
      }
    }
    if (count > limit)
      this.report("more than a provider's max_runners", name, `${count} of ${limit} on ${provider.name}`);
  }

  /** Whether that daemon has to know of the machine, and to count it. */
  #mustCount(life: Life, { token }: Held, machine: SimMachine): boolean {
    if (machine.foreign || machine.leftover || machine.knownBy !== token) return false;
    const { now } = this.world.scheduler;
    const isNew = now - machine.knownSince < SEEN_MS;
    const reach = this.#reachOf(life, machine.provider);
    const quiet = reach.failingSince !== undefined || now - reach.okSince < SEEN_MS || this.#isPartDown(machine);
    return !isNew && !quiet && machine.unknownSince === undefined && machine.hiddenUntil <= now - SEEN_MS;
  }

  /** Whether it is a runner too, and not only a machine that holds its place until it is gone. */
  #isRunner(life: Life, held: Held, machine: SimMachine): boolean {
    return machine.state !== 'stopped' && machine.deletedBy !== held.token && this.#mustCount(life, held, machine);
  }

  #isPartDown({ provider }: SimMachine): boolean {
    const source = this.providers.get(provider);
    return source !== undefined && this.world.scheduler.now - source.partDownUntil < SEEN_MS;
  }

  #mustHold(life: Life, held: Held, scaleSet: string, subject: string, what: string): void {
    if (held.holds || held.lostStep === this.world.scheduler.steps) return;
    const asked = held.token === 0 ? 'never held' : 'knows it has lost';
    this.report('acts without the session', subject, `${life.name} ${what}, though it ${asked} that of ${scaleSet}`);
  }

  /** Whether registrations have gone with their scale set, and the answer is still on its way. */
  #mayHaveGone(scaleSet: string): boolean {
    return this.world.scheduler.now - this.github.set(scaleSet).vanishedAt < 15 * MINUTE;
  }

  #firstMade(name: string): number {
    let first = this.world.scheduler.now;
    for (const { firstMade } of this.providers.values()) first = Math.min(first, firstMade.get(name) ?? first);
    return first;
  }

  #machinesOf(name: string): SimMachine[] {
    const found: SimMachine[] = [];
    for (const { byName } of this.providers.values()) for (const machine of byName.get(name) ?? []) found.push(machine);
    return found;
  }

  #policy(life: Life, scaleSet: string): ScaleSetPolicy | undefined {
    return this.daemons.get(life)?.policy(scaleSet);
  }

  #scaleSetOf(name: string): string {
    return name.replace(/-[0-9a-f]{8}$/, '');
  }

  held(life: Life, scaleSet: string): Held {
    let sets = this.#held.get(life);
    if (!sets) {
      sets = new Map();
      this.#held.set(life, sets);
    }
    let held = sets.get(scaleSet);
    if (!held) {
      held = {
        token: 0,
        holds: false,
        lostStep: -1,
        asked: new Map(),
        unsent: new Set(),
        ended: new Map(),
      };
      sets.set(scaleSet, held);
    }
    return held;
  }

  #reachOf(life: Life, provider: string): Reach {
    let reaches = this.#reach.get(life);
    if (!reaches) {
      reaches = new Map();
      this.#reach.set(life, reaches);
    }
    let reach = reaches.get(provider);
    if (!reach) {
      reach = { failingSince: undefined, okSince: Number.NEGATIVE_INFINITY, failedSince: Number.NEGATIVE_INFINITY };
      reaches.set(provider, reach);
    }
    return reach;
  }
}

function keepNewest<T>(
  all: Pick<Map<T, unknown> | Set<T>, 'size' | 'delete'> & { keys(): Iterable<T> },
  most: number,
): void {
  if (all.size <= most) return;
  const [oldest] = all.keys();
  if (oldest !== undefined) all.delete(oldest);
}
