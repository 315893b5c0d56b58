import { setTimeout as sleepFor } from 'node:timers/promises';
import type { EmulatorClock } from '@rungar/emulators';
import type { Clock } from '@rungar/model';

/** The time of one emulated world: it passes faster than the host's, for everything in it alike. */
export interface FastClock extends EmulatorClock {
  readonly speed: number;
  /** A clock for one daemon: its wall clock can be set wrong, and its sleeps are counted. */
  forDaemon(): DaemonClock;
}

export interface DaemonClock extends Clock {
  /** Steps the host's wall clock, as a bad time server does. */
  stepWall(ms: number): void;
  /** Sleeps under way. */
  readonly sleepers: number;
}

/** @param speed how many milliseconds pass in the world for each of the host's */
export function fastClock(speed: number): FastClock {
  const hostStart = performance.now();
  const start = Date.now();
  const now = (): number => start + (performance.now() - hostStart) * speed;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    const end = now() + ms;
    for (let left = ms; left > 0; left = end - now()) {
      try {
        await sleepFor(Math.ceil(left / speed), undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    }
  };
  return {
    speed,
    now,
    after(ms, run) {
      const timer = setTimeout(run, Math.max(0, ms) / speed);
      return () => clearTimeout(timer);
    },
    forDaemon() {
      let step = 0;
      let sleepers = 0;
      return {
        now,
        wallNow: () => now() + step,
        async sleep(ms, signal) {
          sleepers++;
          try {
            await sleep(ms, signal);
          } finally {
            sleepers--;
          }
        },
        stepWall(ms) {
          step += ms;
        },
        get sleepers() {
          return sleepers;
        },
      };
    },
  };
}
