import type { Clock } from '@rungar/model';
import { PveError, saysLocked } from './errors.js';

/** Requests made for one step whose outcome stays unknown. */
const MOST_REQUESTS = 3;
const LOCK_PAUSE_MS = 1_000;

/**
 * Makes a call that may be made twice. While the VM or its configuration is locked it waits and tries again, until
 * `signal` ends; an answer that was lost is asked for again, three times in all.
 */
export async function persist<T>(clock: Clock, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let requests = 1; ; ) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (saysLocked(error)) await clock.sleep(LOCK_PAUSE_MS, signal);
      else if (isUnanswered(error) && requests < MOST_REQUESTS) requests += 1;
      else throw error;
    }
  }
}

function isUnanswered(error: unknown): boolean {
  return error instanceof PveError && error.refusal === 'unanswered';
}
