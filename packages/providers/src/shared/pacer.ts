import type { Clock, Random } from '@rungar/model';
import { type LearnedRate, learnRate } from './learned-rate.js';

export interface PacerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many may go at once before anything is known, and after a pause. */
  readonly burst: number;
  /** Calls a second to go on with after the first throttle, until the real rate is learned. */
  readonly perSecond: number;
  isThrottle(error: unknown): boolean;
  /** Told of every throttle, with the pace it led to. */
  onThrottle?(error: unknown, perSecond: number): void;
}

/**
 * Keeps calls of one kind within the rate a backend grants. A throttled call is not refused: it waits here and is
 * made again, ahead of those that came later, until it is answered or its caller's signal ends.
 */
export interface Pacer {
  /** @throws what `call` throws, throttles excepted; the signal's reason when it aborts while the call waits. */
  run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The most a wait is drawn out by, so that several processes do not stay in step. */
const JITTER = 0.1;

interface Ticket {
  readonly order: number;
  go(sentAt: number): void;
}

/**
 * Until the first throttle only the number of calls in flight is limited, and every answer makes it larger; from then
 * on calls leave at a rate that is learned ({@link learnRate}).
 */
export function createPacer(options: PacerOptions): Pacer {
  const { clock, random, burst } = options;
  const queue: Ticket[] = [];
  let tickets = 0;
  let inFlight = 0;
  let window = burst;
  let rate: LearnedRate | undefined;
  let timer: AbortController | undefined;

  const pump = (): void => {
    while (queue.length > 0) {
      const now = clock.now();
      const waitMs = rate?.waitMs(now) ?? 0;
      if (waitMs > 0) {
        wakeIn(waitMs);
        return;
      }
      if (!rate && inFlight >= window) return;
      inFlight += 1;
      rate?.sent(now);
      queue.shift()?.go(now);
    }
    timer?.abort();
    timer = undefined;
  };

  const wakeIn = (ms: number): void => {
    if (timer) return;
    const mine = new AbortController();
    timer = mine;
    clock.sleep(ms * (1 + JITTER * random.fraction()), mine.signal).then(
      () => {
        if (timer === mine) timer = undefined;
        pump();
      },
      () => {},
    );
  };

  const enqueue = (ticket: Ticket): void => {
    const at = queue.findIndex((other) => other.order > ticket.order);
    queue.splice(at === -1 ? queue.length : at, 0, ticket);
    pump();
  };

  const turn = (order: number, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        queue.splice(queue.indexOf(ticket), 1);
        reject(signal.reason as Error);
        pump();
      };
      const ticket: Ticket = {
        order,
        go(sentAt) {
          signal.removeEventListener('abort', leave);
          resolve(sentAt);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      enqueue(ticket);
    });

  const throttled = (error: unknown, sentAt: number): void => {
    const now = clock.now();
    if (rate) rate.refused(sentAt, now);
    else rate = learnRate(options.perSecond, burst, sentAt, now);
    options.onThrottle?.(error, rate.perSecond);
  };

  return {
    async run(call, signal) {
      const order = tickets++;
      for (;;) {
        const sentAt = await turn(order, signal);
        try {
          const answer = await call();
          window += 1;
          return answer;
        } catch (error) {
          if (!options.isThrottle(error)) throw error;
          throttled(error, sentAt);
        } finally {
          inFlight -= 1;
          pump();
        }
      }
    },
  };
}
