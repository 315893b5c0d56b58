import type { PoolPhase, WatchedPool } from './cluster-port.js';
import { indexIn } from './node-order.js';
import type { Branch } from './parse-refs.js';

/** How a watcher is set. */
export interface WatchSettings {
  /** Starts at the first sight of probes instead of the second. */
  readonly eager: boolean;
  /** The largest pool that is ever started. */
  readonly max: number;
  /** Also starts for waiting work of nodes none of which is alive. */
  readonly serveQueued: boolean;
  /** Starts again for the same branches after a pool has failed. */
  readonly retry: boolean;
  /** How long a run waits for its nodes, in milliseconds. */
  readonly preflightMs: number;
}

/** What one poll has seen. */
export interface PoolSight {
  /** A clock that only goes forward, in milliseconds. */
  readonly now: number;
  /** Branches that wait for a node, of every pool. */
  readonly waiting: readonly Branch[];
  /** Since when the watcher has seen a branch. */
  firstSeen(branch: string): number;
  readonly phase: PoolPhase;
}

/** What a watcher remembers of one pool between polls. It is plain data. */
export interface PoolState {
  readonly is: 'idle' | 'starting' | 'serving';
  /** Polls in a row that have seen branches worth a start. */
  readonly seenInARow: number;
  /** Branches a workload was already created for, as long as they are there. */
  readonly answered: readonly string[];
  /** When the workload was created that is now starting. */
  readonly startedAt?: number;
  /** How long past starts took until the first pod ran, in milliseconds; the latest last. */
  readonly startTimes: readonly number[];
  /** Whether the workload that is there has failed, and that was seen before. */
  readonly hasFailed?: true;
  /** What was reported last, so that it is not said again at every poll. */
  readonly reported?: string;
}

/** The state of a pool that was never looked at. */
export const INITIAL_STATE: PoolState = { is: 'idle', seenInARow: 0, answered: [], startTimes: [] };

/** What a poll leads to for one pool. There is no action that stops, shrinks or signals anything. */
export interface WatchStep {
  readonly state: PoolState;
  /** Create the pool's workload, once, with its configured count. */
  readonly start: boolean;
  /** Something worth telling an operator, and not told at the poll before. */
  readonly report?: string;
}

const MOST_START_TIMES = 9;

/**
 * Decides what a poll means for one pool. Probes for exactly the pool's names start it, once; whatever else is there
 * is reported. A pool that is alive is left alone until it has ended by itself.
 * @see docs/guides/dispat-demand.md, "How the watcher acts"
 */
export function decideWatch(
  pool: WatchedPool,
  before: PoolState,
  sight: PoolSight,
  settings: WatchSettings,
): WatchStep {
  const own = sight.waiting.filter(({ node }) => indexIn(pool.prefix, node) !== undefined);
  const state = follow(before, own, sight, settings);
  const late = lateness(state, own, sight, settings) ?? failure(pool, state, own);
  if (state.is !== 'idle') return step(state, false, late);

  const news = own.filter(
    ({ name, kind }) => (settings.serveQueued || kind === 'probe') && !state.answered.includes(name),
  );
  if (news.length === 0) return step({ ...state, seenInARow: 0 }, false, late);
  const seenInARow = state.seenInARow + 1;
  if (seenInARow < 2 && !settings.eager) return step({ ...state, seenInARow }, false, late);

  const refusal = refusalOf(pool, news, settings);
  if (refusal !== undefined) return step({ ...state, seenInARow }, false, refusal);
  const started: PoolState = {
    ...state,
    is: 'starting',
    seenInARow: 0,
    answered: own.map(({ name }) => name),
    startedAt: sight.now,
  };
  return step(started, true, late);
}

/** A start that failed before anything was created: the same branches may be tried again at the next poll. */
export function startFailed(state: PoolState): PoolState {
  const { startedAt: _none, ...rest } = state;
  return { ...rest, is: 'idle', answered: [], seenInARow: 1 };
}

/** Where the workload's own state takes the pool. */
function follow(from: PoolState, own: readonly Branch[], sight: PoolSight, { retry }: WatchSettings): PoolState {
  const { hasFailed, ...before } = from;
  const there = new Set(own.map(({ name }) => name));
  const answered = before.answered.filter((name) => there.has(name));
  // A workload this watcher did not create is the answer to whatever it finds beside it.
  const alive = before.is === 'idle' ? [...there] : answered;
  switch (sight.phase) {
    case 'starting':
      return { ...before, is: 'starting', seenInARow: 0, answered: alive };
    case 'serving':
      return serving({ ...before, answered: alive }, sight.now);
    case 'failed': {
      const { startedAt: _none, ...rest } = before;
      return { ...rest, is: 'idle', hasFailed: true, answered: retry ? [] : hasFailed ? answered : alive };
    }
    case 'finished':
    case 'none': {
      const { startedAt: _none, ...rest } = before;
      return { ...rest, is: 'idle', answered };
    }
  }
}

function serving(before: PoolState, now: number): PoolState {
  const { startedAt, ...rest } = before;
  const took = startedAt === undefined ? [] : [now - startedAt];
  return {
    ...rest,
    is: 'serving',
    seenInARow: 0,
    startTimes: [...before.startTimes, ...took].slice(-MOST_START_TIMES),
  };
}

/** Why these branches start nothing. */
function refusalOf(pool: WatchedPool, news: readonly Branch[], { max }: WatchSettings): string | undefined {
  if (pool.count > max)
    return `the pool of ${pool.prefix} has ${pool.count} workers, more than --max ${max}: nothing is started`;
  const probed = new Set(news.filter(({ kind }) => kind === 'probe').map(({ node }) => node));
  const outside = [...new Set(news.map(({ node }) => node))].filter(
    (node) => (indexIn(pool.prefix, node) ?? 0) >= pool.count,
  );
  if (outside.length > 0) {
    return `the run wants ${some(outside)}, which the pool of ${pool.prefix} with ${pool.count} workers does not have: nothing is started`;
  }
  if (probed.size === 0) return undefined;
  const missing = Array.from({ length: pool.count }, (_, index) => `${pool.prefix}${index}`).filter(
    (node) => !probed.has(node),
  );
  if (missing.length === 0) return undefined;
  return `the run does not want ${some(missing)} of the pool of ${pool.prefix} with ${pool.count} workers: nothing is started`;
}

function some(nodes: readonly string[]): string {
  const shown = nodes.slice(0, 5).join(', ');
  return nodes.length > 5 ? `${shown} and ${nodes.length - 5} more` : shown;
}

/** A warning when the run will have given up before its nodes are there. */
function lateness(
  state: PoolState,
  own: readonly Branch[],
  { now, firstSeen }: PoolSight,
  { preflightMs }: WatchSettings,
): string | undefined {
  if (state.is === 'serving') return undefined;
  const probes = own.filter(
    ({ kind, name }) => kind === 'probe' && (state.is !== 'idle' || !state.answered.includes(name)),
  );
  if (probes.length === 0) return undefined;
  const age = now - Math.min(...probes.map(({ name }) => firstSeen(name)));
  const expected = age + median(state.startTimes);
  if (expected <= preflightMs) return undefined;
  return (
    `the nodes' probes are ${seconds(age)} old and a start takes about ${seconds(median(state.startTimes))}, ` +
    `more than the preflight of ${seconds(preflightMs)}: raise execution.timeouts.preflight`
  );
}

/** Said while probes wait that a failed workload leaves unanswered: nobody else will tell. */
function failure(
  { prefix }: WatchedPool,
  { hasFailed, answered }: PoolState,
  own: readonly Branch[],
): string | undefined {
  if (!hasFailed || !own.some(({ kind, name }) => kind === 'probe' && answered.includes(name))) return undefined;
  return `the pool of ${prefix} has failed, and is not started again for the same probes: look at it, or allow it with --retry`;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/** A report is given once, until something else is to be said. The ages in it change: they make no new one. */
function step(state: PoolState, start: boolean, report: string | undefined): WatchStep {
  const key = report?.replace(/[0-9]+ s\b/g, '');
  const { reported, ...rest } = state;
  const next: PoolState = key === undefined ? rest : { ...rest, reported: key };
  return { state: next, start, ...(report !== undefined && key !== reported && { report }) };
}
