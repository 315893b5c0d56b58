import { installationSelector } from '@rungar/labels';
import {
  type Clock,
  type EventSink,
  type JitRegistration,
  type JobFacts,
  type Labels,
  type Logger,
  type Random,
  RungarError,
  type RunnerJob,
  type RunnerStatuses,
  type ScaleSetPolicy,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
} from '@rungar/model';
import type { Memory, Replacement } from '../decide/facts.js';
import { type ZoneReader, zoneReader } from '../decide/schedule.js';
import { isSuspect, isWrittenOff } from '../decide/suspects.js';
import type { EventDraft, JobWaits } from '../events.js';
import type { Metrics } from '../ports.js';
import type { Recorder } from '../record/entries.js';
import type { ScaleSetPhase } from '../status.js';
import type { Claim, Fleet } from './fleet.js';
import type { Gate } from './gate.js';
import type { Listings } from './observe.js';
import { RunnerBook } from './runners.js';

/** What is measured of a scale set by level, under its name alone. */
const GAUGES = [
  'rungar_runners_min',
  'rungar_runners_desired',
  'rungar_scale_set_paused',
  'rungar_scale_set_split',
  'rungar_jobs_assigned',
  'rungar_scale_set_last_poll_timestamp_seconds',
  'rungar_scale_set_last_reconcile_timestamp_seconds',
] as const;

const STATES = ['starting', 'idle', 'busy'] as const;

/** What every scale set works with. */
export interface Deps {
  readonly installation: string;
  readonly reconcileIntervalMs: number;
  readonly hostname: string;
  readonly github: ScaleSetService;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventSink;
  readonly metrics: Metrics;
  readonly fleet: Fleet;
  readonly listings: Listings;
  /** Takes what is decided, and from what, where somebody wants that. */
  readonly recorder?: Recorder;
  /** Registrations in flight, for the whole credential. */
  readonly registrations: Gate;
  /** Removals of registrations in flight, for the whole credential. */
  readonly removals: Gate;
  /** The scale sets of the configuration. */
  readonly configured: ReadonlySet<string>;
}

/** Creations that one decision began: together they count as one failure. */
export interface Batch {
  failed: boolean;
}

/** A job a runner has taken, and how it waited, where GitHub says. */
export interface StartedJob {
  readonly job: RunnerJob;
  readonly waits: JobWaits | undefined;
}

/** A runner being created. */
export interface Creation {
  name: string;
  readonly epoch: number;
  readonly startedAt: number;
  readonly batch: Batch;
  readonly cancel: AbortController;
  claim: Claim;
  /** Whether a provider has been asked: from then on it can only be waited for. */
  sent: boolean;
  registration?: JitRegistration;
  /** The job its runner has taken before the machine was known to be there. */
  started?: StartedJob;
  /** Whether that job has ended too. */
  completed?: boolean;
}

/**
 * Everything one scale set remembers. Its parts change it in single steps, between two awaits; nothing here waits.
 */
export class ScaleSet {
  readonly name: string;
  policy: ScaleSetPolicy;
  readonly deps: Deps;
  readonly log: Logger;
  readonly listenerLog: Logger;
  readonly selector: Labels;
  /** What is measured under its name alone. */
  readonly measured: { readonly scale_set: string };
  readonly book = new RunnerBook();
  /** By name; those of one let go under this name before are among them until their providers have answered. */
  readonly creations: Map<string, Creation>;
  /**
   * Places of creations that a session before this one asked for, and that ended unknown: taken until a pass has seen
   * whether there is a machine.
   */
  readonly unsettledClaims: { readonly claim: Claim; readonly since: number }[] = [];
  readonly writtenOff = new Set<string>();
  revisions: ReadonlyMap<string, string>;
  zone: ZoneReader | undefined;
  readonly tasks = new Set<Promise<unknown>>();

  phase: ScaleSetPhase = 'starting';
  phaseReason: string | undefined;
  phaseSince: number;
  retryAt: number | undefined;
  record: ScaleSetRecord | undefined;
  /** GitHub has refused it for good; it is tried again all the same. */
  failed = false;

  /** The session that is held, and whether it is the one the others depend on. */
  session: { readonly role: 'lead' | 'follower'; readonly since: number } | undefined;
  /** Another daemon has served it for a while, and this one leads. */
  split = false;
  paused: boolean;
  /** The session is held and the runners are known: without it nothing is begun on the fleet. */
  serving = false;
  /** After a gap in time, false until GitHub has answered a poll. */
  proven = true;
  /** One more with every session begun and ended: what was started under another one changes nothing. */
  epoch = 0;
  sessionSignal: AbortSignal = AbortSignal.abort();

  orphans: ReadonlyMap<string, number> = new Map();
  unreachable: ReadonlyMap<string, number> = new Map();
  waits: ReadonlyMap<string, string> = new Map();
  statistics: ScaleSetStatistics | undefined;
  /** Jobs that GitHub has assigned and that no runner has taken, by id, as far as its messages named them. */
  readonly waitingJobs = new Map<string, JobFacts>();
  lastStatuses: Pick<RunnerStatuses, 'begunAt' | 'pages'> | undefined;
  assigned: number | undefined;
  /** While GitHub's numbers contradict its message, nobody is given back. */
  doubted = false;
  minRunners: number | undefined;
  desired: number | undefined;
  replacement: Replacement | undefined;
  creationFailed = false;
  /** Why there was no room, in the words that have been told of it. */
  readonly noRoomSaid = new Set<string>();
  /** Runners whose removal has just failed, until the next reason to decide. */
  readonly skip = new Set<string>();
  pass: { readonly epoch: number; readonly done: Promise<void> } | undefined;
  /** One more with every pass begun. */
  passes = 0;
  /** The counts shown last, and after how many changes. */
  #shownAfter: number | undefined;
  readonly #shown = { byState: new Map<string, number>(), byProvider: new Map<string, number>() };

  constructor(policy: ScaleSetPolicy, deps: Deps, creations = new Map<string, Creation>()) {
    this.name = policy.name;
    this.creations = creations;
    this.policy = policy;
    this.deps = deps;
    this.log = deps.logger.with({ component: 'scaleset', scale_set: policy.name });
    this.listenerLog = deps.logger.with({ component: 'listener', scale_set: policy.name });
    this.measured = { scale_set: policy.name };
    this.selector = installationSelector(deps.installation);
    this.revisions = revisionsOf(policy);
    this.zone = zoneOf(policy);
    this.paused = policy.paused;
    this.startPaused(policy.paused);
    this.phaseSince = deps.clock.now();
    deps.fleet.register(policy.name, this.book);
    this.setSplit(false);
  }

  /** Begins its life paused, or not: nothing has happened that anybody is to be told of. */
  startPaused(paused: boolean): void {
    this.paused = paused;
    this.deps.metrics.set('rungar_scale_set_paused', { scale_set: this.name }, paused ? 1 : 0);
  }

  /** Goes on under another policy of the same name and runner group. */
  adopt(policy: ScaleSetPolicy): void {
    this.policy = policy;
    this.revisions = revisionsOf(policy);
    this.zone = zoneOf(policy);
  }

  /** Whether anything may be begun on the fleet now. */
  get canAct(): boolean {
    return this.serving && this.proven;
  }

  /** @throws RungarError `unavailable` with why nothing may be begun on the fleet now */
  requireActing(): void {
    if (this.canAct) return;
    const why = this.serving ? 'its session is proved again, as time has jumped' : (this.phaseReason ?? this.phase);
    throw new RungarError('unavailable', `scale set ${this.name} does not hold its session: ${why}`);
  }

  isCurrent(epoch: number): boolean {
    return this.epoch === epoch;
  }

  setPhase(phase: ScaleSetPhase, reason?: string, retryAt?: number): void {
    if (this.phase !== phase) this.phaseSince = this.deps.clock.now();
    this.phase = phase;
    this.phaseReason = reason;
    this.retryAt = retryAt;
  }

  setSplit(split: boolean): void {
    this.split = split;
    this.deps.metrics.set('rungar_scale_set_split', { scale_set: this.name }, split ? 1 : 0);
  }

  /** Runners and creations in progress: all that could come to be one. */
  get alive(): number {
    return this.book.runners.size + this.wantedCreations;
  }

  /**
   * Runners GitHub has registered beyond all that are known here, while a provider has been silent for no longer than
   * it may be: what a daemon before this one had there is neither gone nor to be made a second time.
   */
  get unseen(): number {
    const now = this.deps.clock.now();
    const silent = [...this.unreachable.keys()].some((key) => !isWrittenOff([key], this.unreachable, now));
    if (!silent || !this.statistics) return 0;
    const { runners, leaving } = this.book;
    return Math.max(0, this.statistics.registeredRunners - runners.size - leaving.size - this.creations.size);
  }

  /** Creations nobody has cancelled. */
  get wantedCreations(): number {
    let wanted = 0;
    for (const { cancel } of this.creations.values()) if (!cancel.signal.aborted) wanted++;
    return wanted;
  }

  get suspects(): number {
    const now = this.deps.clock.now();
    let suspects = 0;
    for (const runner of this.book.runners.values()) if (isSuspect(runner, now)) suspects++;
    return suspects;
  }

  /** What the planning of a pass may know. */
  memory(): Memory {
    const { fleet } = this.deps;
    const { policy } = this;
    return {
      runners: this.book.runners,
      creating: this.creations,
      leaving: this.book.leaving,
      left: this.book.left,
      orphans: this.orphans,
      unreachable: this.unreachable,
      writtenOff: this.writtenOff,
      ...(this.replacement && { replacement: this.replacement }),
      creationFailed: this.creationFailed,
      ...(this.desired !== undefined && { desired: this.desired }),
      alive: this.alive,
      // Only a replacement asks, and weighing the providers counts the runners of every scale set.
      get hasCandidate() {
        return fleet.candidates(policy).usable.length > 0;
      },
    };
  }

  /** Forgets the runners: their machines and registrations stay as they are, for whoever holds the session next. */
  forget(): void {
    this.book.forget();
    for (const { claim } of this.unsettledClaims.splice(0)) claim.release();
    this.orphans = new Map();
    this.unreachable = new Map();
    this.waits = new Map();
    this.writtenOff.clear();
    this.skip.clear();
    this.waitingJobs.clear();
    this.statistics = undefined;
    this.lastStatuses = undefined;
    this.assigned = undefined;
    this.doubted = false;
    this.minRunners = undefined;
    this.desired = undefined;
    this.replacement = undefined;
    this.showCounts();
  }

  /** Time has jumped: nothing measured across the gap means anything, and the session may be somebody else's. */
  distrustTime(): void {
    this.proven = false;
    this.orphans = new Map();
    this.unreachable = new Map();
    for (const runner of this.book.runners.values()) {
      runner.offlineSince = undefined;
      runner.missingSince = undefined;
      if (runner.unknownSince !== undefined) runner.unknownSince = this.deps.clock.now();
    }
    for (const leaving of this.book.leaving.values())
      if (leaving.endedAt !== undefined) leaving.endedAt = this.deps.clock.now();
  }

  emit(event: EventDraft): void {
    this.deps.events.record(event);
  }

  /** Keeps hold of work nobody waits for, so that its end can be waited for at the end of the session. */
  track(task: Promise<unknown>): void {
    void this.tracked(task);
  }

  /** Keeps hold of work in the same way. @returns its end, which never rejects */
  tracked(task: Promise<unknown>): Promise<void> {
    const kept = task.then(
      () => {},
      (error: unknown) => this.log.error('Unexpected failure', { error }),
    );
    this.tasks.add(kept);
    void kept.then(() => this.tasks.delete(kept));
    return kept;
  }

  /** It is not served any more: whatever it measured by level is measured no longer. */
  unshow(): void {
    const { metrics, fleet } = this.deps;
    const labels = { scale_set: this.name };
    for (const gauge of GAUGES) metrics.unset(gauge, labels);
    for (const state of STATES) metrics.unset('rungar_runners_current', { ...labels, state });
    for (const { config } of fleet.providers)
      metrics.unset('rungar_provider_runners', { ...labels, provider: config.name });
    this.#shownAfter = undefined;
    this.#shown.byState.clear();
    this.#shown.byProvider.clear();
  }

  /** Shows the counts that have changed since they were shown: most passes change none. */
  showCounts(): void {
    if (this.#shownAfter === this.book.changes) return;
    this.#shownAfter = this.book.changes;
    const { metrics, fleet } = this.deps;
    for (const state of STATES) {
      const count = this.book.counts[state];
      if (isRepeated(this.#shown.byState, state, count)) continue;
      metrics.set('rungar_runners_current', { scale_set: this.name, state }, count);
    }
    for (const { config } of fleet.providers) {
      const count = this.book.runnersOn(config.name);
      if (isRepeated(this.#shown.byProvider, config.name, count)) continue;
      const labels = { scale_set: this.name, provider: config.name };
      if (count > 0) metrics.set('rungar_provider_runners', labels, count);
      else metrics.unset('rungar_provider_runners', labels);
    }
  }
}

/** Whether just that was shown last; if not, it is noted. */
function isRepeated(shown: Map<string, number>, what: string, count: number): boolean {
  if (shown.get(what) === count) return true;
  shown.set(what, count);
  return false;
}

const revisionsOf = ({ providers }: ScaleSetPolicy): ReadonlyMap<string, string> =>
  new Map(providers.map(({ name, revision }) => [name, revision]));

const zoneOf = ({ schedule }: ScaleSetPolicy): ZoneReader | undefined => schedule && zoneReader(schedule.timeZone);
