import { RungarError } from '@rungar/model';
import { describeExclusions } from '../decide/placement.js';
import { planGiveBack } from '../decide/scale-down.js';
import { describeWindow, windowInForce } from '../decide/schedule.js';
import { isSuspect } from '../decide/suspects.js';
import { type Counts, stepTowards, targetOf } from '../decide/target.js';
import { minRunnersChangedEvent } from '../events.js';
import { beginCreation } from './create-runner.js';
import { cancelCreation, countFailure } from './creations.js';
import { removeRunner } from './remove-runner.js';
import type { Batch, ScaleSet } from './scale-set.js';

/**
 * Decides how many runners there should be, begins what leads there, and ends: nothing is waited for. It counts what
 * is under way, so deciding twice begins nothing twice.
 * @param direction `down` where something has only just ended: what is still missing waits for the next message or
 * pass, so that a creation that fails is not begun again at once
 */
function decide(set: ScaleSet, direction: 'both' | 'down' = 'both'): void {
  if (!set.canAct || set.assigned === undefined) return;
  const { metrics } = set.deps;
  const { maxRunners } = set.policy;
  const minRunners = noteMinRunners(set);
  const target = targetOf({ paused: set.paused, minRunners, maxRunners, assignedJobs: set.assigned });
  set.desired = target;
  metrics.set('rungar_runners_desired', { scale_set: set.name }, target);
  const wanted = Math.min(maxRunners, target + (wantsSpare(set) ? 1 : 0));
  const most = set.book.runners.size + set.creations.size;
  // Every creation that ends comes by here, and looking at each runner every time would cost their square.
  if (direction === 'both' || most > wanted) {
    const step = stepTowards(wanted, maxRunners, countsOf(set));
    if (step.create > 0 && direction === 'both') scaleUp(set, step.create, wanted);
    if (step.giveBack > 0) scaleDown(set, step.giveBack, wanted);
  }
  set.showCounts();
}

/** Decides on a reason of its own: what has just failed may be tried again. */
export function decideAfresh(set: ScaleSet): void {
  set.skip.clear();
  decide(set);
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
  set.minRunners = minRunners;
  set.deps.metrics.set('rungar_runners_min', { scale_set: set.name }, minRunners);
  if (before !== undefined && before !== minRunners) {
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

function scaleUp(set: ScaleSet, count: number, target: number): void {
  const { fleet } = set.deps;
  const batch: Batch = { failed: false };
  set.log.info('Scaling up', { target, current: set.book.runners.size, assigned_jobs: set.assigned, creating: count });
  for (let begun = 0; begun < count; begun++) {
    const { usable, excluded } = fleet.candidates(set.policy);
    const [first] = usable;
    if (!first) {
      fleet.renewHolds(set.policy);
      countFailure(set, batch, new RungarError('no_capacity', describeExclusions(set.name, excluded)));
      return;
    }
    const creation = beginCreation(set, first.name, batch, () => decide(set, 'down'));
    if (set.replacement && set.replacement.by === undefined)
      set.replacement = { ...set.replacement, by: creation.name };
  }
}

function scaleDown(set: ScaleSet, count: number, target: number): void {
  if (set.doubted) return;
  const creations = [...set.creations.values()].filter(({ cancel }) => !cancel.signal.aborted);
  const plan = planGiveBack({
    count,
    unsent: creations.filter(({ sent }) => !sent),
    sent: creations.filter(({ sent }) => sent).length,
    runners: set.book.runners.values(),
    currentRevision: (provider) => set.revisions.get(provider),
    skip: set.skip,
    now: set.deps.clock.now(),
  });
  if (plan.cancel.length + plan.remove.length === 0) return;
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
}
