import type { Clock } from '../clock.js';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /**
   * Moves on by `ms`, waking each sleeper at its own instant, in order, and letting what it woke run before the
   * next one wakes.
   */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as an operator or a time service would. */
  stepWall(ms: number): void;
  /** How many sleep now. */
  readonly sleepers: number;
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  wake(): void;
}

/** Lets every promise that can settle now do so. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/**
 * A clock that stands still until a test moves it.
 * @param start epoch milliseconds at which it stands; a Monday morning unless given
 */
export function fakeClock(start = Date.UTC(2027, 0, 4, 9, 0, 0)): FakeClock {
  let now = start;
  let wallOffset = 0;
  let order = 0;
  const sleepers: Sleeper[] = [];

  const forget = (sleeper: Sleeper): void => {
    const at = sleepers.indexOf(sleeper);
    if (at >= 0) sleepers.splice(at, 1);
  };

  const nextUntil = (end: number): Sleeper | undefined => {
    let next: Sleeper | undefined;
    for (const one of sleepers) {
      if (one.at > end) continue;
      if (!next || one.at < next.at || (one.at === next.at && one.order < next.order)) next = one;
    }
    return next;
  };

  return {
    now: () => now,
    wallNow: () => now + wallOffset,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = (): void => {
          forget(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: now + Math.max(0, ms),
          order: order++,
          wake() {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let next = nextUntil(end); next; next = nextUntil(end)) {
        now = Math.max(now, next.at);
        forget(next);
        next.wake();
        await settle();
      }
      now = end;
      await settle();
    },
    stepWall(ms) {
      wallOffset += ms;
    },
    get sleepers() {
      return sleepers.length;
    },
  };
}
