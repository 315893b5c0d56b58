import type { GitHubStatus, RemovalReason } from '@rungar/model';
import { isConnected, type LookUp, type RunnerFacts } from './facts.js';
import type { Proof } from './proof.js';

export interface RunnerLimits {
  readonly startTimeoutMs: number;
  readonly maxAgeMs?: number;
  readonly maxIdleAgeMs?: number;
}

/** GitHub's newest answer about a runner. */
export interface Answer {
  readonly status: GitHubStatus;
  /** When its question was begun. */
  readonly at: number;
}

export interface Removal {
  readonly reason: RemovalReason;
  /** The machine goes whatever GitHub says of the registration. */
  readonly force: boolean;
  /** There is nothing wrong with it: it goes one at a time, once its replacement is there. */
  readonly replacement: boolean;
  /** The facts that allow it, in fixed words (docs/concepts/reconciling.md). */
  readonly proof: Proof;
}

export interface RemovalQuestion {
  readonly runner: RunnerFacts;
  /** Absent when GitHub was not asked in this pass: then nothing is removed for its status. */
  readonly answer?: Answer | undefined;
  readonly lookUp?: LookUp | undefined;
  /** Absent when the scale set does not use that provider (any more). */
  readonly currentRevision?: string | undefined;
  readonly limits: RunnerLimits;
  readonly now: number;
}

/**
 * Whether a runner whose machine is alive has to go, and why; the first rule that applies wins. A status counts only
 * with two answers that agree: one that started the clock, and one begun after the limit had passed.
 */
export function decideRemoval(question: RemovalQuestion): Removal | undefined {
  const { runner, answer } = question;
  const busy = runner.state === 'busy' || answer?.status === 'busy';
  return busy ? decideBusyRemoval(question) : decideIdleRemoval(question);
}

/** Whether a runner may stay, as far as can be told without an answer of GitHub. */
export const staysUnasked = (
  runner: RunnerFacts,
  currentRevision: string | undefined,
  { maxAgeMs, maxIdleAgeMs }: RunnerLimits,
  now: number,
): boolean =>
  !isOlderThan(runner, maxAgeMs, now) &&
  (runner.state === 'busy' || (runner.revision === currentRevision && !isOlderThan(runner, maxIdleAgeMs, now)));

/** A runner with a job goes only when nothing can come of it any more. */
function decideBusyRemoval({ runner, answer, lookUp, limits, now }: RemovalQuestion): Removal | undefined {
  if (isOlderThan(runner, limits.maxAgeMs, now)) return removal('expired', ['older_than_max_age'], { force: true });
  if (!answer || !isOfflineTwice(runner, answer, limits.startTimeoutMs)) return undefined;
  if (answer.status !== 'not_registered') return removal('stuck', ['offline', 'offline_after_limit'], { force: true });
  if (!isUnknownByName(answer, lookUp)) return undefined;
  return removal('stuck', ['offline', 'offline_after_limit', 'not_found_by_name'], { force: true });
}

function decideIdleRemoval(question: RemovalQuestion): Removal | undefined {
  const { runner, answer, lookUp, currentRevision, limits, now } = question;
  const young = isYoung(runner, limits.startTimeoutMs, now);
  if (answer?.status === 'not_registered' && !young) {
    if (!isUnknownByName(answer, lookUp)) return undefined;
    return removal('unregistered', ['not_listed', 'not_found_by_name']);
  }
  if (neverConnected(runner, answer, limits.startTimeoutMs)) {
    return removal('never_connected', ['offline', 'offline_after_limit']);
  }
  if (isOfflineTwice(runner, answer, limits.startTimeoutMs)) {
    return removal('disconnected', ['offline', 'offline_after_limit']);
  }
  if (runner.revision !== currentRevision) return removal('outdated', ['other_revision'], { replacement: true });
  if (isOlderThan(runner, limits.maxIdleAgeMs, now)) {
    return removal('expired', ['older_than_max_idle_age'], { replacement: true });
  }
  if (isOlderThan(runner, limits.maxAgeMs, now))
    return removal('expired', ['older_than_max_age'], { replacement: true });
  return undefined;
}

/** A listing whose pages shifted looks as if a runner were gone, so only the look-up by name after it decides. */
const isUnknownByName = (answer: Answer, lookUp: LookUp | undefined): boolean =>
  lookUp !== undefined && lookUp.at >= answer.at && lookUp.registration === undefined;

/** Whether a look-up by name would let more be decided of a runner that GitHub's listing lacks. */
export function needsLookUp({ runner, answer, limits, now }: RemovalQuestion): boolean {
  if (answer?.status !== 'not_registered') return false;
  if (runner.state === 'busy') return isOfflineTwice(runner, answer, limits.startTimeoutMs);
  return !isYoung(runner, limits.startTimeoutMs, now);
}

/** Still within the time it has to connect. */
function isYoung(runner: RunnerFacts, startTimeoutMs: number, now: number): boolean {
  return runner.state === 'starting' && now - (runner.createdAt ?? runner.countedAt) <= startTimeoutMs;
}

/** When an answer about a runner that is not connected could prove that it has to go. */
export function offlineLimitOf(runner: RunnerFacts, startTimeoutMs: number): number | undefined {
  if (runner.offlineSince === undefined) return undefined;
  const since = runner.state === 'starting' ? (runner.createdAt ?? runner.countedAt) : runner.offlineSince;
  return since + startTimeoutMs;
}

function neverConnected(runner: RunnerFacts, answer: Answer | undefined, startTimeoutMs: number): boolean {
  if (runner.state !== 'starting' || !answer || isConnected(answer.status)) return false;
  const limit = (runner.createdAt ?? runner.countedAt) + startTimeoutMs;
  return runner.offlineSince !== undefined && runner.offlineSince < answer.at && answer.at > limit;
}

function isOfflineTwice(runner: RunnerFacts, answer: Answer | undefined, startTimeoutMs: number): boolean {
  if (!answer || isConnected(answer.status) || runner.offlineSince === undefined) return false;
  return answer.at - runner.offlineSince > startTimeoutMs;
}

function isOlderThan(runner: RunnerFacts, limitMs: number | undefined, now: number): boolean {
  return limitMs !== undefined && runner.createdAt !== undefined && now - runner.createdAt > limitMs;
}

function removal(reason: RemovalReason, proof: Proof, more: { force?: boolean; replacement?: boolean } = {}): Removal {
  return { reason, proof, force: more.force ?? false, replacement: more.replacement ?? false };
}
