import { byName, indexIn } from './node-order.js';
import { type Branch, dayAt, type ParsedRefs } from './parse-refs.js';

/** What the tip of a branch says of its task. `unknown` is a tip that says nothing known. */
export type TipState = 'unclaimed' | 'running' | 'done' | 'withdrawn' | 'unknown';

/** What was found at a branch's tip. Only the names of its files are read: whoever can push can write any. */
export interface Tip {
  readonly state: TipState;
  /** When the tip was committed, by the committer's clock, in epoch milliseconds. */
  readonly committedAt?: number;
}

/** Since when an observer has seen branches, and their tips as they are. Times are {@link DemandContext.now}'s. */
export interface Sighting {
  readonly oid: string;
  readonly firstSeen: number;
  readonly unmovedSince: number;
}

/** By branch name. */
export type Sightings = ReadonlyMap<string, Sighting>;

/** A pool as far as demand goes; without a count any index is one of its nodes. */
export interface KnownPool {
  readonly prefix: string;
  readonly count?: number;
}

/** What branches are looked at with. */
export interface DemandContext {
  /** A clock that only goes forward, in milliseconds: for ages. */
  readonly now: number;
  /** The wall clock, in epoch milliseconds: for dates. */
  readonly wallNow: number;
  readonly pools: readonly KnownPool[];
  /** By branch name; nothing when the tips were not inspected. */
  readonly tips?: ReadonlyMap<string, Tip>;
  readonly sightings: Sightings;
  /** How long the tip of a publish stays where it is before the publish counts as given up, in milliseconds. */
  readonly retainedAfterMs: number;
}

export type BranchClass = 'transport' | 'stale' | 'retained' | 'candidate';

/** One pool's share of the demand. */
export interface PoolDemand {
  readonly prefix: string;
  readonly count: number | null;
  /** Its wanted nodes. */
  readonly wantedNodes: readonly string[];
  /** The highest wanted index and 1: how many nodes the run lists, if it lists them all. */
  readonly wanted: number;
  /** Indexes below it that nobody wants. */
  readonly gaps: readonly number[];
}

/** What waits in a mailbox. */
export interface Demand {
  readonly branches: number;
  readonly foreign: number;
  readonly transport: number;
  readonly stale: number;
  readonly retained: number;
  readonly candidates: number;
  /** Whether the tips were looked at. Without that every candidate may already be claimed. */
  readonly inspected: boolean;
  /** What waits: unclaimed branches, or every candidate when the tips were not looked at. */
  readonly demand: number;
  readonly upperBound: boolean;
  /** By kind, what waits. */
  readonly unclaimed: Readonly<Record<'probe' | 'build' | 'publish' | 'prepare' | 'run', number>>;
  readonly running: number;
  readonly done: number;
  readonly withdrawn: number;
  readonly unknown: number;
  /** Nodes with a waiting probe: with nothing running, the pool the run wants. */
  readonly wantedNodes: readonly string[];
  readonly pools: readonly PoolDemand[];
  /** Nodes with waiting branches that belong to no known pool. */
  readonly unservable: readonly string[];
  /** How long ago this observer first saw the oldest waiting branch, in seconds. */
  readonly oldestUnclaimedSeconds: number | null;
  readonly messages: readonly string[];
}

/** An accepted assignment is at most 24 hours old; a day more allows for clocks and time zones. */
const STALE_DAYS = 2;

/** Which class a branch is of, or nothing for one dated in the future: that is none of dispat's. */
export function classOf(
  branch: Branch,
  { now, wallNow, tips, sightings, retainedAfterMs }: DemandContext,
): BranchClass | undefined {
  const age = dayAt(wallNow) - branch.day;
  if (age < -1) return undefined;
  if (branch.kind === 'snapshot' || branch.kind === 'relay') return 'transport';
  if (age > STALE_DAYS) return 'stale';
  if (branch.kind !== 'publish') return 'candidate';
  const tip = tips?.get(branch.name);
  if (tip?.state === 'done' || tip?.state === 'withdrawn') return 'candidate';
  const unmovedSince = sightingOf(branch, sightings)?.unmovedSince ?? now;
  const unmovedMs = Math.max(now - unmovedSince, tip?.committedAt === undefined ? 0 : wallNow - tip.committedAt);
  return unmovedMs > retainedAfterMs ? 'retained' : 'candidate';
}

/** A first look has no sightings, and then need not cut out a name for each branch. */
function sightingOf(branch: Branch, sightings: Sightings): Sighting | undefined {
  return sightings.size === 0 ? undefined : sightings.get(branch.name);
}

/** Remembers which branches an observer has seen, and since when; those that are gone are forgotten. */
export function remember(branches: readonly Branch[], before: Sightings, now: number): Sightings {
  const seen = new Map<string, Sighting>();
  for (const { name, oid } of branches) {
    const known = before.get(name);
    if (known?.oid === oid) seen.set(name, known);
    else seen.set(name, { oid: copied(oid), firstSeen: known?.firstSeen ?? now, unmovedSince: now });
  }
  return seen;
}

/** A text of its own: a part of a listing would keep the whole listing in memory. */
function copied(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** The branches that wait for a worker, as far as can be told. */
export function waitingBranches(branches: readonly Branch[], context: DemandContext): Branch[] {
  return branches.filter((branch) => classOf(branch, context) === 'candidate' && isWaiting(branch, context));
}

function isWaiting({ name }: Branch, { tips }: DemandContext): boolean {
  return tips === undefined || tips.get(name)?.state === 'unclaimed';
}

/**
 * Sorts a mailbox's branches and says what waits.
 * @see docs/guides/dispat-demand.md, "What is counted"
 */
export function classifyDemand({ branches, foreign }: ParsedRefs, context: DemandContext): Demand {
  const inspected = context.tips !== undefined;
  const classes = { transport: 0, stale: 0, retained: 0, candidate: 0 };
  const states: Record<TipState, number> = { unclaimed: 0, running: 0, done: 0, withdrawn: 0, unknown: 0 };
  const unclaimed = { probe: 0, build: 0, publish: 0, prepare: 0, run: 0 };
  const wanted = new Set<string>();
  const waiting = new Set<string>();
  let future = 0;
  let stalePublishes = 0;
  let oldest: number | undefined;
  for (let at = 0, count = 1; at < branches.length; at += count) {
    const branch = branches[at];
    if (branch === undefined) break;
    count = alike(branches, at, context);
    const ofClass = classOf(branch, context);
    if (ofClass === undefined) {
      future += count;
      continue;
    }
    classes[ofClass] += count;
    if (ofClass === 'stale' && branch.kind === 'publish') stalePublishes += count;
    if (ofClass !== 'candidate') continue;
    if (inspected) states[context.tips?.get(branch.name)?.state ?? 'unknown'] += count;
    if (!isWaiting(branch, context) || branch.kind === 'snapshot' || branch.kind === 'relay') continue;
    unclaimed[branch.kind] += count;
    waiting.add(branch.node);
    if (branch.kind === 'probe') wanted.add(branch.node);
    const firstSeen = sightingOf(branch, context.sightings)?.firstSeen ?? context.now;
    if (oldest === undefined || firstSeen < oldest) oldest = firstSeen;
  }
  const wantedNodes = [...wanted].sort(byName);
  const { pools } = context;
  return {
    branches: branches.length,
    foreign: foreign + future,
    transport: classes.transport,
    stale: classes.stale,
    retained: classes.retained,
    candidates: classes.candidate,
    inspected,
    demand: inspected ? states.unclaimed : classes.candidate,
    upperBound: !inspected,
    unclaimed,
    running: states.running,
    done: states.done,
    withdrawn: states.withdrawn,
    unknown: states.unknown,
    wantedNodes,
    pools: pools.map((pool) => poolDemand(pool, wantedNodes)),
    unservable:
      pools.length === 0
        ? []
        : [...waiting].filter((node) => !pools.some((pool) => belongsTo(pool, node))).sort(byName),
    oldestUnclaimedSeconds: oldest === undefined ? null : Math.floor((context.now - oldest) / 1000),
    messages: messagesOf(classes.retained, stalePublishes),
  };
}

/** How many branches from `at` on are told apart by nothing that is known of them: without tips and sightings, neighbours. */
function alike(branches: readonly Branch[], at: number, { tips, sightings }: DemandContext): number {
  const first = branches[at];
  if (tips !== undefined || sightings.size > 0 || first === undefined) return 1;
  const { node, day, kind } = first;
  for (let next = at + 1; ; next++) {
    const branch = branches[next];
    if (branch?.kind !== kind || branch.node !== node || branch.day !== day) return next - at;
  }
}

function poolDemand({ prefix, count }: KnownPool, wantedNodes: readonly string[]): PoolDemand {
  const indexes = wantedNodes.flatMap((node) => indexIn(prefix, node) ?? []);
  const wanted = Math.max(-1, ...indexes) + 1;
  const there = new Set(indexes);
  return {
    prefix,
    count: count ?? null,
    wantedNodes: wantedNodes.filter((node) => indexIn(prefix, node) !== undefined),
    wanted,
    gaps: Array.from({ length: Math.min(wanted, MOST_GAPS) }, (_, index) => index).filter((index) => !there.has(index)),
  };
}

/** A made-up index must not make a list of a million gaps. */
const MOST_GAPS = 1000;

function belongsTo({ prefix, count }: KnownPool, node: string): boolean {
  const index = indexIn(prefix, node);
  return index !== undefined && index < (count ?? Number.POSITIVE_INFINITY);
}

function messagesOf(retained: number, stalePublishes: number): string[] {
  const messages: string[] = [];
  if (retained > 0) {
    messages.push(
      `${retained === 1 ? '1 publish branch has' : `${retained} publish branches have`} not moved for longer than a task may take: ` +
        'the publish may or may not have happened (E228), and the release lock is held on purpose. ' +
        'Look at the registry first, and do not delete the branch: it is the evidence',
    );
  }
  if (stalePublishes > 0) {
    messages.push(
      `${stalePublishes === 1 ? '1 publish branch is' : `${stalePublishes} publish branches are`} more than two days old: ` +
        'do not delete what a release lock may still be held for',
    );
  }
  return messages;
}
