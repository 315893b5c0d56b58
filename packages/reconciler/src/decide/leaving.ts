import type { LeavingFacts, LookUp, Outcome } from './facts.js';
import { joined } from './proof.js';

/** The first pause after a deletion that failed; it doubles up to {@link DELETE_PAUSE_MAX_MS}. */
const DELETE_PAUSE_MS = 30_000;
const DELETE_PAUSE_MAX_MS = 15 * 60_000;

/** How long to wait after the n-th failed deletion in a row, from 1. */
export function deletePauseMs(failures: number): number {
  return Math.min(DELETE_PAUSE_MS * 2 ** Math.min(failures - 1, 16), DELETE_PAUSE_MAX_MS);
}

/**
 * What became of a runner whose machine has ended by itself: a runner without a registration has done its job, as
 * GitHub removes an ephemeral one after it. A registration that stays past the start timeout was left by a crash.
 * An answer older than the end proves neither.
 */
export function decideOutcome(
  { endedAt, endProof = ['machine_ended'], outcome }: Pick<LeavingFacts, 'endedAt' | 'endProof' | 'outcome'>,
  lookUp: LookUp | undefined,
  startTimeoutMs: number,
  now: number,
): Outcome | undefined {
  if (outcome || endedAt === undefined || !lookUp || lookUp.at < endedAt) return undefined;
  if (!lookUp.registration) {
    return { kind: 'removed', reason: 'job_completed', proof: joined(endProof, ['not_registered']) };
  }
  if (now - endedAt <= startTimeoutMs) return undefined;
  return { kind: 'lost', reason: 'ended', proof: joined(endProof, ['still_registered']) };
}

export const isDeletionDue = (leaving: LeavingFacts, now: number): boolean =>
  !leaving.deleted && !leaving.deleting && now >= leaving.deleteAgainAt;
