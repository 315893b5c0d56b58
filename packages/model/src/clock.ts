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
  // Not the sleep of node:timers/promises: that one makes an error of its own, stack and all, for each that is ended.
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const end = performance.now() + ms;
      let timer: NodeJS.Timeout | undefined;
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const sleepOn = (): void => {
        const left = end - performance.now();
        if (left > 0) {
          timer = setTimeout(sleepOn, Math.min(Math.ceil(left), LONGEST_TIMER_MS));
          return;
        }
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepOn();
    });
  },
};

/** Why a limit's own sleep ends when the work is done. */
const DONE = 'done';

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
      done.abort(DONE); // without a reason of ours, an error is made that nobody reads
    },
  };
}
