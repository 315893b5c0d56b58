import type { Clock } from '@rungar/model';

/** A clock on which waits pass at once, and time limits never do. */
export interface QuickClock extends Clock {
  /** The waits there were, in order, in milliseconds. */
  readonly waits: readonly number[];
}

/** The client waits for 15 s at most, unless told to; its time limits are longer. */
const LONGEST_WAIT_MS = 15_999;

export function quickClock(start = Date.now()): QuickClock {
  let now = start;
  const waits: number[] = [];
  return {
    now: () => now,
    wallNow: () => now,
    waits,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms <= LONGEST_WAIT_MS) {
        waits.push(ms);
        now += ms;
        return Promise.resolve();
      }
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
    },
  };
}
