import type { Clock, Random } from '@rungar/model';
import { createFairQueue, type Ticket } from '../shared/fair-queue.js';
import type { Pacer } from '../shared/pacer.js';

export interface QuotaPacerOptions {
  readonly clock: Clock;
  readonly random: Random;
  isThrottle(error: unknown): boolean;
  /** Told of each pause that a throttle leads to. */
  onPause?(error: unknown, pauseMs: number): void;
}

const MOST_IN_FLIGHT = 64;
/** How many more may be in flight after each that was answered, once calls had to pause. */
const GROWTH = 2;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const MINUTE_MS = 60_000;
/** The most that a wait for the next minute is drawn out by, so that several processes do not come at once. */
const JITTER_MS = 250;

interface Call extends Ticket {
  go(sentAt: number): void;
}

/**
 * Keeps calls within a quota of so many a minute, of which nothing is known but its refusals. After one, nothing is
 * sent for a moment; then a single call tries whether there is room again, after growing pauses and whenever a minute
 * begins, which is when such a quota fills up at the latest. Once one is answered, more and more follow.
 */
export function createQuotaPacer(options: QuotaPacerOptions): Pacer {
  const { clock, random } = options;
  const queue = createFairQueue<Call>();
  let tickets = 0;
  let inFlight = 0;
  let most = MOST_IN_FLIGHT;
  let pauseMs = FIRST_PAUSE_MS;
  let pausedAt = Number.NEGATIVE_INFINITY;
  let paused = false;

  const pump = (): void => {
    while (!paused && inFlight < most) {
      const next = queue.next();
      if (next === undefined) return;
      inFlight += 1;
      next.go(clock.now());
    }
  };

  const pause = (error: unknown): void => {
    const toMinute = MINUTE_MS - (clock.wallNow() % MINUTE_MS) + random.fraction() * JITTER_MS;
    const ms = Math.min(pauseMs, toMinute);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    pausedAt = clock.now();
    paused = true;
    most = 1;
    options.onPause?.(error, ms);
    void clock.sleep(ms).then(() => {
      paused = false;
      pump();
    });
  };

  const answered = (): void => {
    if (most === MOST_IN_FLIGHT) return;
    pauseMs = FIRST_PAUSE_MS;
    most = Math.min(most + GROWTH, MOST_IN_FLIGHT);
  };

  const wait = (given: Ticket, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        queue.remove(ticket);
        reject(signal.reason as Error);
      };
      const ticket: Call = {
        ...given,
        go(sentAt) {
          signal.removeEventListener('abort', leave);
          resolve(sentAt);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(ticket);
      pump();
    });

  return {
    async run(call, signal, turn = {}) {
      const order = tickets++;
      for (let again = false; ; again = true) {
        const sentAt = await wait({ turn, order, again }, signal);
        try {
          const answer = await call();
          answered();
          return answer;
        } catch (error) {
          if (!options.isThrottle(error)) throw error;
          // Calls that were on their way when the pause began say nothing new.
          if (sentAt > pausedAt) pause(error);
        } finally {
          inFlight -= 1;
          pump();
        }
      }
    },
  };
}
