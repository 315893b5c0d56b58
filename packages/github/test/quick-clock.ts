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
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms > LONGEST_WAIT_MS) {
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
        throw signal?.reason;
      }
      waits.push(ms);
      now += ms;
    },
  };
}
