import { setTimeout as sleepFor } from 'node:timers/promises';

/** Where time comes from. Every interval of ours is measured by {@link Clock.now}, which never steps. */
export interface Clock {
  /** Milliseconds that only ever go forward: the epoch time at which the process began, plus what has passed since. */
  now(): number;
  /** The host's wall clock in epoch milliseconds: for display, schedules and other people's timestamps only. */
  wallNow(): number;
  /**
   * Resolves `ms` milliseconds from now.
   * @throws the signal's reason, at once, when `signal` aborts.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay Node's timers take; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process's own clock. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  wallNow: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      try {
        await sleepFor(Math.min(Math.ceil(left), LONGEST_TIMER_MS), undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    }
  },
};

/** A signal with a time limit on an injected clock. Dispose of it when the work is done, so that its timer goes. */
export interface Limit extends Disposable {
  readonly signal: AbortSignal;
  /** True once the limit itself, and not the caller's signal, has ended the work. */
  readonly expired: boolean;
}

/**
 * Limits work to `ms` milliseconds of `clock`'s time, or to the caller's own signal if that ends first.
 * @param reason what the signal aborts with at the limit
 */
export function limitTime(clock: Clock, ms: number, reason: () => Error, parent?: AbortSignal): Limit {
  const limit = new AbortController();
  const done = new AbortController();
  let expired = false;
  clock.sleep(ms, done.signal).then(
    () => {
      if (parent?.aborted) return;
      expired = true;
      limit.abort(reason());
    },
    () => {},
  );
  const onParent = (): void => limit.abort(parent?.reason);
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: limit.signal,
    get expired() {
      return expired;
    },
    [Symbol.dispose]() {
      parent?.removeEventListener('abort', onParent);
      done.abort();
    },
  };
}
