import type { Clock } from '@rungar/model';

/** A clock on which waits pass at once, and time limits never do. */
export interface QuickClock extends Clock {
  /** The waits there were, in order, in milliseconds. */
  readonly waits: readonly number[];
  /** Lets the time limits pass that run now. */
  expire(): void;
}

/** The client waits for 15 s at most, unless told to; its time limits are longer. */
const LONGEST_WAIT_MS = 15_999;

export function quickClock(start = Date.now()): QuickClock {
  let now = start;
  const waits: number[] = [];
  const limits = new Map<() => void, number>();
  return {
    now: () => now,
    wallNow: () => now,
    waits,
    expire() {
      for (const [end, at] of limits) {
        now = Math.max(now, at);
        end();
      }
      limits.clear();
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms > LONGEST_WAIT_MS) {
        await new Promise<void>((resolve) => {
          limits.set(resolve, now + ms);
          signal?.addEventListener('abort', () => limits.delete(resolve) && resolve(), { once: true });
        });
        signal?.throwIfAborted();
        return;
      }
      waits.push(ms);
      now += ms;
    },
  };
}
