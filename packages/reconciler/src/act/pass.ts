import { isRunnerNameOf } from '@rungar/labels';
import { RungarError, type RunnerStatuses, type ScaleSetPolicy } from '@rungar/model';
import { isConnected, type LookUp, type Memory, type Seen, type SeenGitHub } from '../decide/facts.js';
import { answerFor, listingNeeded, statusChange } from '../decide/github-status.js';
import type { Match } from '../decide/match.js';
import type { PassPlan } from '../decide/plan.js';
import { type PassContext, planMatched } from '../decide/plan-pass.js';
import { isSettled } from '../decide/suspects.js';
import { applyStatus, carryOut } from './carry-out.js';
import { decideAfresh } from './decision.js';
import type { ListedFleet } from './listed-fleet.js';
import type { ProviderListing } from './observe.js';
import { recordDecision } from './record-decision.js';
import { GITHUB_LIMIT_MS, lookUp } from './registration.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { abandonable, withLimit } from './time-limit.js';

/** Look-ups by name in one pass; what is left waits for the next one. */
const LOOK_UPS_PER_PASS = 64;
const LOOK_UPS_AT_ONCE = 8;
const NO_LOOK_UPS: ReadonlyMap<string, LookUp> = new Map();

export type PassKind =
  /** On taking the session: everything found is adopted, and nothing is removed. */
  | { readonly kind: 'first'; readonly openedAt: number; readonly wide: boolean }
  /** By the clock: a listing that another scale set has just taken will do, and the one taken for it, if there is one. */
  | { readonly kind: 'timed'; readonly taken?: TakenListings }
  /** On request: it sees nothing older than that. */
  | { readonly kind: 'asked'; readonly askedAt: number };

/** Listings that were taken for several scale sets together. */
export interface TakenListings {
  /** When they were asked for. */
  readonly since: number;
  readonly listings: readonly ProviderListing[];
}

/** One pass at a time in a session: a pass asked for during another is that one. */
export function runPass(set: ScaleSet, pass: PassKind): Promise<void> {
  const { epoch } = set;
  if (set.pass?.epoch === epoch) return set.pass.done;
  set.passes++;
  const done = timedPass(set, pass).finally(() => {
    if (set.pass?.epoch === epoch) set.pass = undefined;
  });
  set.pass = { epoch, done };
  return done;
}

/**
 * Runs a pass now, after the one under way, if there is one.
 * @throws RungarError `unavailable` with the reason, when the session is not held or ends meanwhile
 */
export async function passOnRequest(set: ScaleSet): Promise<void> {
  set.requireActing();
  const { epoch } = set;
  const askedAt = set.deps.clock.now();
  await set.pass?.done;
  set.requireActing();
  await runPass(set, { kind: 'asked', askedAt });
  if (!set.isCurrent(epoch)) throw new RungarError('unavailable', `the session of ${set.name} ended during the pass`);
}

async function timedPass(set: ScaleSet, pass: PassKind): Promise<void> {
  const { clock, metrics } = set.deps;
  const { epoch } = set;
  const startedAt = pass.kind === 'timed' && pass.taken ? pass.taken.since : clock.now();
  try {
    // On taking the session GitHub is asked all the same, so both are asked at once.
    const early = pass.kind === 'first' ? statusesOf(set, {}) : undefined;
    const fleet = await observeFleet(set, pass);
    const planning = planFrom(set, fleet, { epoch, ...(early && { early }) });
    const planned = planning instanceof Promise ? await planning : planning;
    if (!planned) return;
    recordPass(set, planned);
    set.creationFailed = false;
    if (pass.kind === 'first') {
      set.serving = true;
      warnOfUnseen(set, planned.seen);
    }
    const removals = carryOut(set, planned.plan, pass.kind === 'first' ? 'at_start' : 'in_pass');
    releaseSettled(set, fleet);
    if (removals.length > 0) await Promise.all(removals);
    if (!set.isCurrent(epoch)) return;
    if ([...fleet.providers.values()].some(({ error }) => error === undefined)) {
      metrics.set('rungar_scale_set_last_reconcile_timestamp_seconds', { scale_set: set.name }, clock.wallNow() / 1000);
    }
    decideAfresh(set);
  } catch (error) {
    if (set.isCurrent(epoch)) throw error;
  } finally {
    metrics.observe('rungar_reconcile_duration_seconds', { scale_set: set.name }, (clock.now() - startedAt) / 1000);
    set.showCounts();
  }
}

/** Gives back the places whose machines the pass has counted, or found not to be there. */
function releaseSettled(set: ScaleSet, { providers }: ListedFleet): void {
  if (set.unsettledClaims.length === 0) return;
  const now = set.deps.clock.now();
  const open = set.unsettledClaims.splice(0).filter(({ claim, since }) => {
    if (!isSettled(providers.get(claim.provider), since, now)) return true;
    claim.release();
    return false;
  });
  set.unsettledClaims.push(...open);
}

/**
 * Warns of runners that work on machines no provider lists: a provider that was taken out of the configuration leaves
 * them, and nobody counts or removes them.
 */
function warnOfUnseen(set: ScaleSet, { fleet, github }: Seen): void {
  const silent = [...fleet.providers.values()].some(({ error, parts }) => error ?? parts.some((part) => part.error));
  if (!github.statuses || silent) return;
  const { runners, leaving, left } = set.book;
  const known = [fleet.machines, runners, leaving, left, set.creations];
  const unseen = [...github.statuses.runners]
    .filter(([name, { status }]) => isConnected(status) && isRunnerNameOf(set.name, name))
    .map(([name]) => name)
    .filter((name) => !known.some((names) => names.has(name)));
  if (unseen.length === 0) return;
  set.log.warn('Runners are connected from machines that no provider lists: was one taken out of the configuration?', {
    runner: unseen[0],
    count: unseen.length,
  });
}

/** What the next pass would do now, and why. Nothing is changed by asking. @param under what to assume instead */
export async function previewPass(set: ScaleSet, under: Assumed = {}): Promise<PassPlan | undefined> {
  const { epoch } = set;
  const fleet = await observeFleet(set, { kind: 'timed' });
  return (await planFrom(set, fleet, { epoch, under }))?.plan;
}

async function observeFleet(set: ScaleSet, pass: PassKind): Promise<ListedFleet> {
  const { listings, configured } = set.deps;
  if (pass.kind === 'timed' && pass.taken) return listings.seenBy(set.name, pass.taken.listings);
  const first = pass.kind === 'first';
  const begunAfter = oldestListing(pass, oldestForPass(set.deps));
  const all = await listings.all({ begunAfter, wide: first && pass.wide, signal: set.sessionSignal });
  if (first && pass.wide) listings.warnOfOthers(all, configured);
  return listings.seenBy(set.name, all);
}

/** A listing begun before this instant is of no use to a pass by the clock, nor to any other. */
export const oldestForPass = ({ clock, reconcileIntervalMs }: Pick<Deps, 'clock' | 'reconcileIntervalMs'>): number =>
  clock.now() - reconcileIntervalMs / 2;

function oldestListing(pass: PassKind, young: number): number {
  switch (pass.kind) {
    case 'first':
      return pass.openedAt;
    case 'asked':
      return pass.askedAt;
    case 'timed':
      return young;
  }
}

/** What a plan is to assume in place of what is so. */
export interface Assumed {
  readonly policy?: ScaleSetPolicy;
  readonly memory?: Partial<Omit<Memory, 'runners'>>;
}

interface Planning {
  readonly epoch: number;
  /** GitHub's listing, where it has been asked for already. */
  readonly early?: Promise<RunnerStatuses | undefined>;
  readonly under?: Assumed;
}

/** What is seen, its machines not yet put in order by name. */
interface ListedSeen extends Seen {
  readonly fleet: ListedFleet;
}

/** A plan with all that it was made from. */
interface PlannedPass {
  readonly context: PassContext;
  readonly seen: ListedSeen;
  readonly memory: Memory;
  readonly plan: PassPlan;
}

/** The plan; at once where GitHub is not asked, as in most passes, so that thousands of runners are gone through in one go. */
function planFrom(
  set: ScaleSet,
  fleet: ListedFleet,
  { epoch, early, under = {} }: Planning,
): PlannedPass | undefined | Promise<PlannedPass | undefined> {
  if (!set.isCurrent(epoch)) return undefined;
  const match = set.book.match(fleet);
  const answer = early ?? askForStatuses(set, fleet, match);
  if (answer) return planAnswered(set, fleet, { epoch, under }, answer);
  const first = planNow(set, { fleet, github: { asked: false, lookUps: NO_LOOK_UPS } }, under, match);
  return first.plan.lookUps.length === 0 ? first : planLookedUp(set, first, { epoch, under });
}

async function planAnswered(
  set: ScaleSet,
  fleet: ListedFleet,
  { epoch, under = {} }: Planning,
  answer: Promise<RunnerStatuses | undefined>,
): Promise<PlannedPass | undefined> {
  const statuses = await answer;
  if (!set.isCurrent(epoch)) return undefined;
  const github: SeenGitHub = { asked: true, ...(statuses && { statuses }), lookUps: NO_LOOK_UPS };
  const first = planNow(set, { fleet, github }, under);
  return first.plan.lookUps.length === 0 ? first : await planLookedUp(set, first, { epoch, under });
}

/** The plan once more, as a look-up by name lets more be decided. */
async function planLookedUp(
  set: ScaleSet,
  { seen, plan }: PlannedPass,
  { epoch, under = {} }: Planning,
): Promise<PlannedPass | undefined> {
  const lookUps = await lookUpAll(set, plan.lookUps.slice(0, LOOK_UPS_PER_PASS));
  if (!set.isCurrent(epoch)) return undefined;
  return planNow(set, { ...seen, github: { ...seen.github, lookUps } }, under);
}

function planNow(set: ScaleSet, seen: ListedSeen, under: Assumed, match = set.book.match(seen.fleet)): PlannedPass {
  const context = { ...contextOf(set), ...(under.policy && { policy: under.policy }) };
  const memory = under.memory ? { ...set.memory(), ...under.memory } : set.memory();
  return { context, seen, memory, plan: planMatched(context, seen, memory, match) };
}

function recordPass(set: ScaleSet, planned: PlannedPass): void {
  recordDecision(set, () => ({
    kind: 'pass',
    scaleSet: set.name,
    at: set.deps.clock.wallNow(),
    ...planned,
  }));
}

const contextOf = (set: ScaleSet): PassContext => ({
  policy: set.policy,
  scaleSetId: set.record?.id ?? 0,
  now: set.deps.clock.now(),
  wallNow: set.deps.clock.wallNow(),
});

/** @returns nothing where GitHub need not be asked */
function askForStatuses(
  set: ScaleSet,
  fleet: ListedFleet,
  match: Match,
): Promise<RunnerStatuses | undefined> | undefined {
  const { runners, leaving, left } = set.book;
  const needed = listingNeeded({
    runners,
    isKnown: (name) => leaving.has(name) || left.has(name) || set.creations.has(name),
    orphans: set.orphans,
    fleet,
    match,
    ...(set.statistics && { statistics: set.statistics }),
    ...(set.lastStatuses && { last: set.lastStatuses }),
    startTimeoutMs: set.policy.startTimeoutMs,
    now: set.deps.clock.now(),
  });
  return needed && statusesOf(set, needed);
}

/** GitHub's listing, or nothing when it does not answer: that is never taken for "not registered". */
async function statusesOf(
  set: ScaleSet,
  wish: { readonly begunAfter?: number; readonly only?: readonly string[] },
): Promise<RunnerStatuses | undefined> {
  const { clock, github } = set.deps;
  try {
    const statuses = await withLimit(
      clock,
      GITHUB_LIMIT_MS,
      'listing of runners at GitHub',
      set.sessionSignal,
      (signal) => github.runnerStatuses({ signal, ...wish }),
    );
    set.book.noteVersions(statuses);
    return statuses;
  } catch (error) {
    set.log.debug('GitHub did not list its runners', { error });
    return undefined;
  }
}

async function lookUpAll(set: ScaleSet, names: readonly string[]): Promise<ReadonlyMap<string, LookUp>> {
  const { clock } = set.deps;
  const found = new Map<string, LookUp>();
  const waiting = names.values();
  const worker = async (): Promise<void> => {
    for (const name of waiting) {
      const at = clock.now();
      try {
        const registration = await abandonable(set.sessionSignal, () => lookUp(set, name));
        found.set(name, { at, ...(registration && { registration }) });
        const runner = set.book.runners.get(name);
        if (runner && registration) runner.registrationId = registration.id;
      } catch (error) {
        set.log.debug('GitHub did not look a runner up', { runner: name, error });
      }
    }
  };
  await Promise.all(Array.from({ length: LOOK_UPS_AT_ONCE }, worker));
  return found;
}

/** Finds out which starting runners have connected. Asks nobody while none is starting. */
export async function syncStarting(set: ScaleSet): Promise<void> {
  if (!set.serving || set.book.counts.starting === 0) return;
  const { epoch } = set;
  const only = [...set.book.runners.values()].filter(({ state }) => state === 'starting').map(({ name }) => name);
  const statuses = await statusesOf(set, { only });
  if (!statuses || !set.isCurrent(epoch)) return;
  for (const name of only) {
    const runner = set.book.runners.get(name);
    if (runner?.state !== 'starting') continue;
    const change = statusChange(runner, answerFor(runner, statuses));
    if (!change) continue;
    applyStatus(set, runner.name, change.to, change.offlineSince);
    // The next pass may do with a listing that is older than this answer.
    runner.toldAt = statuses.begunAt;
  }
}
