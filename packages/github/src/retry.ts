import type { Clock, Random } from '@rungar/model';
import { type Answer, isTransient } from './answer.js';
import { GitHubError, isWorthRepeating } from './errors.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const JITTER = 0.1;

/** The wait before repetition number `repetition` (from 0): 1, 2, 4, 8 s and so on, up to a tenth longer by chance. */
export function backoffMs(repetition: number, random: Random): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** repetition, LONGEST_WAIT_MS);
  return wait * (1 + JITTER * random.fraction());
}

export interface RetryOptions {
  readonly retries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Statuses to repeat besides the transient ones. */
  readonly alsoRetry?: readonly number[];
}

/**
 * Makes a request until it is answered with something that asking again would not change, or the retries are used
 * up. A wait told by GitHub is the attempt's own affair; only the back-off is added here.
 * @returns the last answer, of whatever status
 * @throws the last attempt's error
 */
export async function withRetries(attempt: () => Promise<Answer>, options: RetryOptions): Promise<Answer> {
  const { retries, clock, random, signal, alsoRetry = [] } = options;
  for (let repetition = 0; ; repetition++) {
    try {
      const answer = await attempt();
      const again = isTransient(answer) || alsoRetry.includes(answer.status);
      if (!again || repetition >= retries) return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GitHubError) || !isWorthRepeating(error) || repetition >= retries) throw error;
    }
    await clock.sleep(backoffMs(repetition, random), signal);
  }
}
