import { RungarError } from '@rungar/model';
import { describeExclusions } from '../decide/placement.js';
import type { ScalingPlan, ScalingQuestion } from '../decide/plan-scaling.js';
import { type GiveBack, planGiveBack } from '../decide/scale-down.js';
import { describeWindow, windowInForce } from '../decide/schedule.js';
import { isSuspect } from '../decide/suspects.js';
import { type Counts, stepTowards, targetOf } from '../decide/target.js';
import { minRunnersChangedEvent } from '../events.js';
import { runnerData } from '../record/entries.js';
import { beginCreation } from './create-runner.js';
import { cancelCreation, countFailure } from './creations.js';
import { recordDecision } from './record-decision.js';
import { removeRunner } from './remove-runner.js';
import type { Batch, Creation, ScaleSet } from './scale-set.js';

/**
 * Decides how many runners there should be, begins what leads there, and ends: nothing is waited for. It counts what
 * is under way, so deciding twice begins nothing twice.
 * @param direction `down` where something has only just ended: what is still missing waits for the next message or
 * pass, so that a creation that fails is not begun again at once
 * @param known spares counting the runners, where that has just been done
 */
function decide(set: ScaleSet, direction: 'both' | 'down' = 'both', known?: Counts): void {
  if (!set.canAct || set.assigned === undefined) return;
  const { metrics } = set.deps;
  const { maxRunners } = set.policy;
  const minRunners = noteMinRunners(set);
  const target = targetOf({ paused: set.paused, minRunners, maxRunners, assignedJobs: set.assigned });
  const isNews = set.desired !== target;
  set.desired = target;
  if (isNews) metrics.set('rungar_runners_desired', { scale_set: set.name }, target);
  const wanted = Math.min(maxRunners, target + (wantsSpare(set) ? 1 : 0));
  const most = set.book.runners.size + set.creations.size;
  if (set.book.runners.size >= wanted && set.noRoomSaid.size > 0) set.noRoomSaid.clear();
  // Every creation that ends comes by here, and looking at each runner every time would cost their square.
  if (direction === 'both' || most > wanted) {
    const counts = known ?? countsOf(set);
    const step = stepTowards(wanted, maxRunners, counts);
    const create = direction === 'both' ? step.create : 0;
    const begins = create > 0 || step.giveBack > 0;
    const question =
      set.deps.recorder && (begins || isNews) ? questionOf(set, minRunners, counts, direction) : undefined;
    const placed = create > 0 ? scaleUp(set, create, wanted) : [];
    const given = step.giveBack > 0 ? scaleDown(set, step.giveBack, wanted) : { cancel: [], remove: [] };
    if (question) recordScaling(set, question, { target, create, giveBack: step.giveBack, placed, ...given });
  }
  set.showCounts();
}

/** Decides on a reason of its own: what has just failed may be tried again. */
export function decideAfresh(set: ScaleSet, known?: Counts): void {
  // Clearing makes a new table, even of an empty set.
  if (set.skip.size > 0) set.skip.clear();
  decide(set, 'both', known);
}

/** What min_runners is now, and in which window. */
export function minRunnersNow(set: ScaleSet): { minRunners: number; window?: string } {
  const { schedule, minRunners } = set.policy;
  const window = schedule && set.zone && windowInForce(schedule, set.zone(set.deps.clock.wallNow()));
  return window ? { minRunners: window.minRunners, window: describeWindow(window) } : { minRunners };
}

/** Whether one more is wanted for now: the one that is to replace another, until that has gone. */
function wantsSpare({ replacement, paused, book, creations }: ScaleSet): boolean {
  if (!replacement || replacement.removedFirst || paused) return false;
  const { by } = replacement;
  return by === undefined || book.runners.has(by) || creations.has(by);
}

function noteMinRunners(set: ScaleSet): number {
  const { minRunners, window } = minRunnersNow(set);
  const before = set.minRunners;
  if (before === minRunners) return minRunners;
  set.minRunners = minRunners;
  set.deps.metrics.set('rungar_runners_min', { scale_set: set.name }, minRunners);
  if (before !== undefined) {
    set.log.info('min_runners changed', { from: before, to: minRunners, ...(window !== undefined && { window }) });
    set.emit(minRunnersChangedEvent(set.name, before, minRunners, window));
  }
  return minRunners;
}

function countsOf(set: ScaleSet): Counts {
  const now = set.deps.clock.now();
  let removing = 0;
  let suspects = 0;
  for (const runner of set.book.runners.values()) {
    if (runner.removing) removing++;
    else if (isSuspect(runner, now)) suspects++;
  }
  const { alive, unseen } = set;
  return { alive, able: alive - removing - suspects, removing, unseen };
}

/** What a decision is made from, copied before anything is begun. */
function questionOf(
  set: ScaleSet,
  minRunners: number,
  counts: Counts,
  direction: 'both' | 'down',
): ScalingQuestion | undefined {
  const { paused, policy, assigned: assignedJobs, doubted, book, revisions, skip, deps } = set;
  if (assignedJobs === undefined) return undefined;
  const { unsent, sent } = creationsOf(set);
  const { maxRunners } = policy;
  return {
    scaling: { paused, minRunners, maxRunners, assignedJobs, spare: wantsSpare(set), doubted, counts },
    placement: deps.fleet.placementFacts(policy),
    giveBack: {
      unsent: unsent.map(({ name, startedAt }) => ({ name, startedAt })),
      sent,
      runners: [...book.runners.values()].map(runnerData),
      revisions,
      skip: new Set(skip),
    },
    onlyDown: direction === 'down',
    now: deps.clock.now(),
  };
}

function recordScaling(set: ScaleSet, question: ScalingQuestion, plan: ScalingPlan): void {
  recordDecision(set, () => ({
    kind: 'scaling',
    scaleSet: set.name,
    at: set.deps.clock.wallNow(),
    question,
    plan,
  }));
}

function creationsOf({ creations }: ScaleSet): { unsent: readonly Creation[]; sent: number } {
  const wanted = [...creations.values()].filter(({ cancel }) => !cancel.signal.aborted);
  return { unsent: wanted.filter(({ sent }) => !sent), sent: wanted.filter(({ sent }) => sent).length };
}

/** @returns the provider that each creation begun has claimed a place on */
function scaleUp(set: ScaleSet, count: number, target: number): readonly string[] {
  const { fleet } = set.deps;
  const batch: Batch = { failed: false };
  const placed: string[] = [];
  for (let begun = 0; begun < count; begun++) {
    const { usable, excluded } = fleet.candidates(set.policy);
    const [first] = usable;
    if (!first) {
      fleet.renewHolds(set.policy);
      countFailure(set, batch, new RungarError('no_capacity', describeExclusions(set.name, excluded)));
      break;
    }
    if (begun === 0) {
      const current = set.book.runners.size;
      set.log.info('Scaling up', { target, current, assigned_jobs: set.assigned, creating: count });
    }
    placed.push(first.name);
    const creation = beginCreation(set, first.name, batch, () => decide(set, 'down'));
    if (set.replacement && set.replacement.by === undefined)
      set.replacement = { ...set.replacement, by: creation.name };
  }
  return placed;
}

function scaleDown(set: ScaleSet, count: number, target: number): GiveBack {
  if (set.doubted) return { cancel: [], remove: [] };
  const plan = planGiveBack({
    count,
    ...creationsOf(set),
    runners: set.book.runners.values(),
    currentRevision: (provider) => set.revisions.get(provider),
    skip: set.skip,
    now: set.deps.clock.now(),
  });
  if (plan.cancel.length + plan.remove.length === 0) return plan;
  set.log.info('Scaling down', { target, current: set.book.runners.size, assigned_jobs: set.assigned });
  for (const name of plan.cancel) {
    const creation = set.creations.get(name);
    if (creation) cancelCreation(creation);
  }
  for (const name of plan.remove) {
    const removal = removeRunner(set, name, { reason: 'scaled_down', proof: ['not_wanted'] });
    set.track(
      removal.then((result) => {
        if (result !== 'failed' && result !== 'busy') return;
        set.skip.add(name);
        decide(set, 'down');
      }),
    );
  }
  return plan;
}
