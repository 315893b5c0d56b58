import { type Clock, messageOf } from '@rungar/model';
import { classifyDemand, type Demand, type KnownPool, remember, type Sightings, waitingBranches } from './classify.js';
import type { ClusterPort, PoolPhase, WatchedPool } from './cluster-port.js';
import type { Mailbox } from './mailbox.js';
import type { MetricsView } from './metrics.js';
import type { Branch } from './parse-refs.js';
import { LONGEST_INTERVAL_MS } from './watch-lock.js';
import { decideWatch, INITIAL_STATE, type PoolState, startFailed, type WatchSettings } from './watch-state.js';

/** Something a watcher has to tell. */
export interface WatchNews {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

export interface WatchOptions extends WatchSettings {
  readonly mailbox: Mailbox;
  /** Pools to start. Every one needs a count; without any the watcher only looks. */
  readonly pools: readonly WatchedPool[];
  /** Pools that are only counted. */
  readonly known: readonly KnownPool[];
  readonly intervalMs: number;
  readonly retainedAfterMs: number;
  /** What starts pools; without it the watcher only looks. */
  readonly port?: ClusterPort;
  readonly clock: Clock;
  /** Takes each poll's result. */
  onDemand(demand: Demand): void;
  /** Told of whatever a poll brought. Called in order, and not waited for. */
  onNews(news: WatchNews): void;
}

/** A watcher of one mailbox. */
export interface Watcher {
  /** Polls until `signal` aborts, and then returns. Errors make it wait longer; none ends it. */
  run(signal: AbortSignal): Promise<void>;
  readonly view: MetricsView;
}

/** Makes a watcher. It starts pools from zero, and never stops, shrinks or signals anything. */
export function createWatcher(options: WatchOptions): Watcher {
  return new MailboxWatcher(options);
}

class MailboxWatcher implements Watcher {
  readonly #options: WatchOptions;
  readonly #states = new Map<string, PoolState>();
  #sightings: Sightings = new Map();
  #demand: Demand | undefined;
  #polls = 0;
  #failures = 0;
  #lastSuccess: number | undefined;
  #holds = true;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get view(): MetricsView {
    return { demand: this.#demand, polls: this.#polls, failures: this.#failures, lastSuccess: this.#lastSuccess };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, port } = this.#options;
    let wait = intervalMs;
    try {
      while (!signal.aborted) {
        wait = (await this.#poll(signal)) ? intervalMs : Math.min(wait * 2, Math.max(intervalMs, LONGEST_INTERVAL_MS));
        await clock.sleep(wait, signal).catch(() => {});
      }
    } finally {
      await port
        ?.release()
        .catch((error) => this.#warn(`the right to watch could not be given back: ${messageOf(error)}`));
    }
  }

  /** One look at the mailbox and what follows from it; false when the mailbox could not be read. */
  async #poll(signal: AbortSignal): Promise<boolean> {
    const { clock, onDemand, port } = this.#options;
    this.#polls++;
    let waiting: readonly Branch[];
    try {
      waiting = await this.#look(signal);
    } catch (error) {
      if (signal.aborted) return true;
      this.#failures++;
      this.#warn(messageOf(error));
      return false;
    }
    this.#lastSuccess = Math.floor(clock.wallNow() / 1000);
    if (this.#demand !== undefined) onDemand(this.#demand);
    if (port !== undefined && (await this.#mayAct(port, signal))) {
      for (const pool of this.#options.pools) await this.#serve(pool, waiting, port, signal);
    }
    return true;
  }

  async #look(signal: AbortSignal): Promise<readonly Branch[]> {
    const { mailbox, clock, known, retainedAfterMs } = this.#options;
    const refs = await mailbox.branches(signal);
    const now = clock.now();
    this.#sightings = remember(refs.branches, this.#sightings, now);
    const context = { now, wallNow: clock.wallNow(), pools: known, sightings: this.#sightings, retainedAfterMs };
    const tips = await mailbox.tips(waitingBranches(refs.branches, context), signal);
    const inspected = { ...context, tips };
    this.#demand = classifyDemand(refs, inspected);
    return waitingBranches(refs.branches, inspected);
  }

  /** Whether this watcher is the one that acts. While another one does it only looks. */
  async #mayAct(port: ClusterPort, signal: AbortSignal): Promise<boolean> {
    let holds: boolean;
    try {
      holds = await port.hold(signal);
    } catch (error) {
      if (!signal.aborted) this.#warn(`whether another watcher is there could not be told: ${messageOf(error)}`);
      return false;
    }
    if (!holds && this.#holds) this.#warn('another watcher serves these pools: this one only looks');
    this.#holds = holds;
    return holds;
  }

  async #serve(pool: WatchedPool, waiting: readonly Branch[], port: ClusterPort, signal: AbortSignal): Promise<void> {
    const { clock, onNews } = this.#options;
    const before = this.#states.get(pool.prefix) ?? INITIAL_STATE;
    let phase: PoolPhase;
    try {
      phase = await port.phaseOf(pool, signal);
    } catch (error) {
      if (!signal.aborted) this.#warn(`how the pool of ${pool.prefix} stands could not be told: ${messageOf(error)}`);
      return;
    }
    const now = clock.now();
    const sight = { now, waiting, phase, firstSeen: (branch: string) => this.#sightings.get(branch)?.firstSeen ?? now };
    const { state, start, report } = decideWatch(pool, before, sight, this.#options);
    this.#states.set(pool.prefix, state);
    if (report !== undefined) this.#warn(report);
    if (!start) return;
    try {
      await port.start(pool, signal);
      onNews({ level: 'info', message: `started the pool of ${pool.prefix} with ${pool.count} workers` });
    } catch (error) {
      if (signal.aborted) return;
      this.#states.set(pool.prefix, startFailed(state));
      this.#warn(`the pool of ${pool.prefix} could not be started: ${messageOf(error)}`);
    }
  }

  #warn(message: string): void {
    this.#options.onNews({ level: 'warning', message });
  }
}
