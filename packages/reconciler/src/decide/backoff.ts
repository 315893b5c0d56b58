const BACKOFF_FIRST_MS = 15_000;
const BACKOFF_MAX_MS = 2 * 60_000;

/** How a provider has been refusing one scale set. */
export interface Backoff {
  readonly refusals: number;
  readonly skipUntil: number;
  readonly refusal: string;
  /** Whether the last refusal was for lack of room. */
  readonly full: boolean;
  readonly refusedAt: number;
}

export interface Refusal {
  /** When the refused creation was sent. */
  readonly startedAt: number;
  readonly now: number;
  readonly text: string;
  readonly full: boolean;
}

/** How long a provider is skipped after the n-th refusal in a row, from 1. */
export function backoffMs(refusals: number): number {
  return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(refusals - 1, 16), BACKOFF_MAX_MS);
}

/**
 * The back-off after one more refusal. Refusals of creations that were all on their way together are one: only a
 * creation sent after the previous refusal was known counts again.
 */
export function afterRefusal(before: Backoff | undefined, { startedAt, now, text, full }: Refusal): Backoff {
  if (before && startedAt < before.refusedAt) return { ...before, refusal: text, full };
  const refusals = (before?.refusals ?? 0) + 1;
  return { refusals, skipUntil: now + backoffMs(refusals), refusal: text, full, refusedAt: now };
}

export const isSkipped = (backoff: Backoff | undefined, now: number): backoff is Backoff =>
  backoff !== undefined && now < backoff.skipUntil;
