import type { ScaleSetPolicy } from '@rungar/model';
import type { ScaleSetStatus } from '@rungar/reconciler';
import type { Checks } from './checks.js';
import type { Daemon } from './daemon.js';
import type { SimSet } from './github.js';
import type { SimMachine } from './provider.js';
import { SCALE_SETS } from './shape.js';
import type { TroubleParts } from './trouble.js';
import { MINUTE, SECOND } from './world.js';

export interface RecoveryParts extends TroubleParts {
  readonly checks: Checks;
  readonly daemon: Daemon;
}

/** Calls, boots and messages: what the world itself takes, on top of the daemon's two intervals. */
const API_MS = 60 * SECOND;
/** Sessions of the dead expire, and whoever stands by asks once a minute. */
const SESSIONS_MS = 6 * MINUTE;
const JOBS_MS = 75 * MINUTE;
/** Deletions that failed are repeated after a quarter of an hour at most; registrations age before they are orphans. */
const CLEAN_FROM_MS = 2 * MINUTE;
const CLEAN_MS = 75 * MINUTE;

/** Watches a fleet come back to what it should be once nothing goes wrong any more. */
export class Recovery {
  isDone = false;
  readonly #parts: RecoveryParts;
  readonly #began: number;
  readonly #short = new Map<string, number>();
  readonly #starved = new Map<string, number>();
  readonly #tooMany = new Map<string, number>();
  #jobsDone: number | undefined;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.#began = parts.world.scheduler.now;
  }

  look(): void {
    const { world, github, daemon, checks } = this.#parts;
    const { now } = world.scheduler;
    const status = daemon.reconciler.status();
    if (status.state !== 'running') {
      this.#fail('the daemon has ended', daemon.name, status.state);
      return;
    }
    const waits = status.scaleSets.filter(({ phase }) => phase !== 'listening');
    if (waits.length > 0) {
      if (now - this.#began > SESSIONS_MS)
        this.#fail(
          'sessions do not come back',
          waits[0]?.name ?? '',
          waits.map(({ name, phase }) => `${name} ${phase}`).join(),
        );
      return;
    }
    for (const set of status.scaleSets) this.#lookAt(set);
    if (github.open.size > 0) {
      if (now - this.#began > JOBS_MS)
        this.#fail(
          'a job is lost',
          [...github.open][0]?.scaleSet ?? '',
          `${github.open.size} of them: ${this.#situation([...github.open][0]?.scaleSet ?? '')}`,
        );
      return;
    }
    this.#jobsDone ??= now;
    if (now - this.#jobsDone < CLEAN_FROM_MS) return;
    const left = this.#leftover();
    if (left === undefined) this.isDone = true;
    else if (now - this.#jobsDone > CLEAN_MS) this.#fail('something is left over', left.subject, left.what);
    if (checks.violations.length > 0) this.isDone = true;
  }

  #fail(rule: string, subject: string, what: string): void {
    this.#parts.checks.report(rule, subject, what);
    this.isDone = true;
  }

  /** Never short of runners, and never with idle ones too many, for longer than it may take. */
  #lookAt({ name, desired = 0, holdingBackReason, counts, creating }: ScaleSetStatus): void {
    const { github, daemon } = this.#parts;
    const set = github.set(name);
    const policy = daemon.policy(name);
    if (!policy) return;
    const limitMs = 2 * daemon.configuration.intervalMs + API_MS;
    const working = [...set.registered].filter((runner) =>
      this.#machinesOf(runner.name).some(({ state }) => state !== 'stopped'),
    );
    const excused = holdingBackReason !== '' || !this.#hasRoom(policy) || this.#isHeldOff(policy);
    const counted = counts ? counts.starting + counts.idle + counts.busy + creating : 0;
    const short = set.waiting.length > 0 && counted < desired && !excused;
    if (this.#lasts(this.#short, name, short) > limitMs)
      this.#fail('too few runners', name, `${counted} of ${desired}: ${this.#situation(name)}`);
    // Whom GitHub does not show connected may come back, or come for the first time, for as long as `start_timeout`.
    const { now } = this.#parts.world.scheduler;
    const starved = set.waiting.length > 0 && now - set.lastBeginAt > 5 * SECOND && set.running === 0 && !excused;
    if (this.#lasts(this.#starved, name, starved) > limitMs + policy.startTimeoutMs)
      this.#fail('jobs wait for nothing', name, `${set.waiting.length} of them: ${this.#situation(name)}`);
    const tooMany = set.idle.size > 0 && working.length > desired + 1;
    if (this.#lasts(this.#tooMany, name, tooMany) > limitMs + policy.startTimeoutMs)
      this.#fail('too many runners', name, `${working.length} of ${desired}`);
  }

  /** What the daemon says of a scale set, for whoever looks for the cause. */
  #situation(name: string): string {
    const { scaleSets, providers } = this.#parts.daemon.reconciler.status();
    const { counts, creating, suspects, desired, assignedJobs } = scaleSets.find((one) => one.name === name) ?? {};
    return JSON.stringify({ counts, creating, suspects, desired, assignedJobs, providers });
  }

  #lasts(since: Map<string, number>, name: string, is: boolean): number {
    const { now } = this.#parts.world.scheduler;
    if (!is) {
      since.delete(name);
      return 0;
    }
    const from = since.get(name) ?? now;
    since.set(name, from);
    return now - from;
  }

  /** Whether back-offs, brakes or limits say that nobody may be asked now. */
  #isHeldOff({ name, providers }: ScaleSetPolicy): boolean {
    const used = new Set(providers.map((one) => one.name));
    return this.#parts.daemon.reconciler
      .providers()
      .some(
        (provider) =>
          used.has(provider.name) &&
          (provider.scaleSets.some(({ scaleSet, backoffForMs }) => scaleSet === name && backoffForMs !== undefined) ||
            provider.slowed.some(({ scaleSet }) => scaleSet === name) ||
            provider.hold !== undefined),
      );
  }

  #hasRoom({ providers }: ScaleSetPolicy): boolean {
    const { configuration, reconciler } = this.#parts.daemon;
    const entries = configuration.providers;
    // A place whose machine is gone is held until its deletion has been confirmed.
    const counted = new Map(reconciler.providers().map((one) => [one.name, one.runnerCount]));
    const creating = reconciler.scaleSets().reduce((sum, set) => sum + set.creating, 0);
    return providers.some(({ name }) => {
      const provider = this.#parts.providers.get(name);
      const entry = entries.find((one) => one.name === name);
      if (!provider || !entry || entry.disabled) return false;
      const standing = [...provider.machines.values()].filter(({ foreign }) => !foreign).length;
      const most = Math.min(entry.maxRunners || Number.POSITIVE_INFINITY, provider.room || Number.POSITIVE_INFINITY);
      // Where as many come as go, a place or two is free at any moment.
      return Math.max(standing, counted.get(name) ?? 0) + creating < most * 0.9;
    });
  }

  /** What is there and should not be, or should be and is not. */
  #leftover(): { subject: string; what: string } | undefined {
    const { github, daemon, providers } = this.#parts;
    const status = new Map(daemon.reconciler.scaleSets().map((one) => [one.name, one]));
    for (const provider of providers.values()) {
      for (const machine of provider.machines.values()) {
        if (machine.foreign) continue;
        const runner = github.byName.get(machine.name);
        if (machine.state === 'stopped')
          return { subject: machine.name, what: `a machine that has ended on ${provider.name}` };
        if (!runner) return { subject: machine.name, what: `a machine without a registration on ${provider.name}` };
        // A copy of one that is connected is left alone for as long as that one stays.
        if (!runner.online && this.#machinesOf(machine.name).length > 1)
          return { subject: machine.name, what: 'two machines of one name' };
        if (!runner.online) return { subject: machine.name, what: `a runner that is offline on ${provider.name}` };
      }
    }
    for (const runner of github.runners.values()) {
      if (!runner.foreign && this.#machinesOf(runner.name).length === 0)
        return { subject: runner.name, what: 'a registration without a machine' };
    }
    for (const name of SCALE_SETS) {
      const wrong = this.#wrongCount(github.set(name), status.get(name));
      if (wrong !== undefined) return { subject: name, what: wrong };
    }
    return undefined;
  }

  #wrongCount(set: SimSet, status: ScaleSetStatus | undefined): string | undefined {
    if (!status) return 'a scale set nobody serves';
    const policy = this.#parts.daemon.policy(set.name);
    const wanted = Math.min(status.minRunners, status.maxRunners);
    if (set.registered.size === wanted) return undefined;
    if (set.registered.size < wanted && policy && !this.#hasRoom(policy)) return undefined;
    return `${set.registered.size} runners where ${wanted} are wanted`;
  }

  #machinesOf(name: string): SimMachine[] {
    return [...this.#parts.providers.values()].flatMap(({ byName }) => [...(byName.get(name) ?? [])]);
  }
}

/** What must be so once the last daemon has stopped. */
export function checkRest({ github, daemon, checks }: Pick<RecoveryParts, 'github' | 'daemon' | 'checks'>): void {
  if (!daemon.stopped) checks.report('does not stop', daemon.name, daemon.reconciler.status().state);
  if (daemon.life.sleepers > 0) checks.report('timers left', daemon.name, `${daemon.life.sleepers}`);
  for (const { name, session } of github.sets.values()) {
    if (session?.open) checks.report('session left', name, daemon.name);
  }
}
