import { messageOf } from '@rungar/model';
import type { MachinePlace, Outcome } from '../decide/facts.js';
import { deletePauseMs } from '../decide/leaving.js';
import { joined } from '../decide/proof.js';
import { type Diagnosis, deleteFailingEvent, deleteRecoveredEvent, lostEvent, removedEvent } from '../events.js';
import { noteLastWords } from './diagnose.js';
import { takeBackMisfortune } from './misfortune.js';
import { unregister } from './registration.js';
import { type Leaving, placesOf } from './runners.js';
import type { ScaleSet } from './scale-set.js';

/** Begins to delete a leaving runner's machine, unless that is under way, done, or to wait. */
export function beginDeletion(set: ScaleSet, leaving: Leaving): void {
  if (leaving.deleting || leaving.deleted || set.deps.clock.now() < leaving.deleteAgainAt) return;
  leaving.deleting = true;
  leaving.attempt = set.tracked(deleteMachines(set, leaving));
}

/** What became of it is known: the first to say so is believed. */
export function setOutcome(set: ScaleSet, leaving: Leaving, outcome: Outcome): void {
  if (outcome.reason === 'job_completed') takeBackMisfortune(set, leaving);
  leaving.outcome ??= outcome;
  finishIfSettled(set, leaving);
}

/** What is not begun when the session ends is left to whoever holds the next one. */
async function deleteMachines(set: ScaleSet, leaving: Leaving): Promise<void> {
  const { sessionSignal: until } = set;
  if (leaving.registered && !(await giveUpRegistration(set, leaving))) return;
  await noteLastWords(set, leaving);
  const results = await Promise.allSettled(
    placesOf(leaving.runner)
      .filter((place) => !leaving.deletedTwins.has(place))
      .map((place) => deleteMachine(set, leaving, place, until)),
  );
  leaving.deleting = false;
  const failed = results.find((result): result is PromiseRejectedResult => result.status === 'rejected');
  if (failed && !until.aborted) noteFailure(set, leaving, failed.reason);
  else if (!failed) {
    leaving.deleted = true;
    if (leaving.deleteFailures > 0) set.emit(deleteRecoveredEvent(whereOf(set, leaving), leaving.deleteFailures + 1));
    finishIfSettled(set, leaving);
  }
}

/** A leftover may be a runner that works: only without its registration may its machine go. */
async function giveUpRegistration(set: ScaleSet, leaving: Leaving): Promise<boolean> {
  const { epoch, sessionSignal: until } = set;
  const end = await unregister(set, leaving.runner, until);
  if (end.kind === 'gone') {
    leaving.registered = false;
    return true;
  }
  leaving.deleting = false;
  if (end.kind === 'failed') {
    if (!until.aborted) noteFailure(set, leaving, end.error);
  } else if (set.serving && set.isCurrent(epoch)) set.book.takeBack(leaving, set.deps.clock.now());
  else {
    for (const place of placesOf(leaving.runner)) set.book.placeFreed(place);
    set.book.finish(leaving.runner.name, set.deps.clock.now());
  }
  return false;
}

async function deleteMachine(set: ScaleSet, leaving: Leaving, place: MachinePlace, until: AbortSignal): Promise<void> {
  const { fleet } = set.deps;
  if (fleet.has(place.provider)) {
    const ref = {
      name: leaving.runner.name,
      ...(place.id !== undefined && { id: place.id }),
      ...(place.labels && { labels: place.labels }),
    };
    await fleet.delete(place.provider, ref, set.selector, until);
  }
  leaving.deletedTwins.add(place);
  set.book.placeFreed(place);
}

/** One event when it first fails, and one when it succeeds after all: the log says it every time. */
function noteFailure(set: ScaleSet, leaving: Leaving, error: unknown): void {
  const pauseMs = deletePauseMs(++leaving.deleteFailures);
  leaving.deleteAgainAt = set.deps.clock.now() + pauseMs;
  leaving.lastError = messageOf(error);
  const { runner, deleteFailures } = leaving;
  set.log.warn('Machine cannot be deleted; tried again later', {
    runner: runner.name,
    provider: runner.place.provider,
    error,
    retryInMs: pauseMs,
    attempts: deleteFailures,
  });
  if (deleteFailures === 1) set.emit(deleteFailingEvent(whereOf(set, leaving), leaving.lastError, deleteFailures));
}

/** Records the end of a runner, once: when its machine is gone and it is known what became of it. */
function finishIfSettled(set: ScaleSet, leaving: Leaving): void {
  const { runner, outcome, deleted, recorded } = leaving;
  if (!deleted || (recorded && !outcome) || set.book.leaving.get(runner.name) !== leaving) return;
  set.book.finish(runner.name, set.deps.clock.now());
  if (!recorded || !outcome) return;
  recordOutcome(set, runner, outcome, leaving);
  if (outcome.kind === 'lost') set.track(unregister(set, runner, set.sessionSignal));
}

/** Says that a runner is no more: metric, log line and event. */
export function recordOutcome(
  set: ScaleSet,
  runner: Leaving['runner'],
  outcome: Outcome,
  more: Pick<Leaving, 'endProof' | 'endReason' | 'lastWords'> = {},
): void {
  const { metrics } = set.deps;
  const { provider } = runner.place;
  const at = { runner: runner.name, scaleSet: set.name, provider };
  const labels = { scale_set: set.name, provider, reason: outcome.reason };
  const diagnosis = outcome.reason === 'job_completed' ? {} : diagnosisOf(more);
  const proof = joined(more.endProof ?? [], outcome.proof);
  const fields = { runner: runner.name, provider, reason: outcome.reason, proof: proof.join(','), ...diagnosis };
  if (outcome.kind === 'removed') {
    metrics.add('rungar_runners_removed_total', labels);
    set.log.info('Runner removed', fields);
    set.emit(removedEvent(at, outcome.reason, proof, diagnosis, runner.job));
  } else {
    metrics.add('rungar_runners_lost_total', labels);
    set.log.warn('Runner lost', fields);
    set.emit(lostEvent(at, outcome.reason, proof, diagnosis));
  }
  set.showCounts();
}

/** What tells why a runner came to nothing; nothing of one that did its job. */
const diagnosisOf = ({ endReason, lastWords }: Pick<Leaving, 'endReason' | 'lastWords'>): Diagnosis => ({
  ...(endReason !== undefined && { detail: endReason }),
  ...(lastWords !== undefined && { console: lastWords }),
});

const whereOf = (set: ScaleSet, { runner }: Leaving): { runner: string; scaleSet: string; provider: string } => ({
  runner: runner.name,
  scaleSet: set.name,
  provider: runner.place.provider,
});
