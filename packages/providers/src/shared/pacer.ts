import type { Clock, Random } from '@rungar/model';
import { createFairQueue, type Ticket, type Turn } from './fair-queue.js';
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
  /**
   * @param turn of calls that wait, those of a higher priority go first, and keys of one priority by turns
   * @throws what `call` throws, throttles excepted; the signal's reason when it aborts while the call waits
   */
  run<T>(call: () => Promise<T>, signal: AbortSignal, turn?: Turn): Promise<T>;
}

/** How long more calls wait for what comes of those in flight: somewhat longer than a refusal takes. */
const PROBE_MS = 120;
/** How many more may be in flight when nothing was refused meanwhile: few at first, then four times as many each time. */
const FIRST_PROBE = 3;
const PROBE_GROWTH = 4;
/** The most a wait is drawn out by, so that several processes do not stay in step. */
const JITTER = 0.1;

interface Call extends Ticket {
  go(sentAt: number): void;
}

/**
 * Until the first throttle only the number of calls in flight is limited, and that grows quickly while none is refused;
 * from then on calls leave at a rate that is learned ({@link learnRate}).
 */
export function createPacer(options: PacerOptions): Pacer {
  const { clock, random, burst } = options;
  const queue = createFairQueue<Call>();
  let tickets = 0;
  let inFlight = 0;
  let window = burst;
  let probe = FIRST_PROBE;
  /** Since when all that may be in flight is, while more wait. */
  let fullSince: number | undefined;
  let rate: LearnedRate | undefined;
  let timer: AbortController | undefined;

  const pump = (): void => {
    while (queue.size > 0) {
      const now = clock.now();
      const waitMs = rate ? rate.waitMs(now) : probeWaitMs(now);
      if (waitMs > 0) {
        wakeIn(waitMs);
        return;
      }
      inFlight += 1;
      rate?.sent(now);
      queue.next()?.go(now);
    }
    timer?.abort();
    timer = undefined;
    fullSince = undefined;
  };

  const probeWaitMs = (now: number): number => {
    if (inFlight < window) return 0;
    fullSince ??= now;
    const waitMs = fullSince + PROBE_MS - now;
    if (waitMs > 0) return waitMs;
    window += probe;
    probe *= PROBE_GROWTH;
    fullSince = undefined;
    return 0;
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

  const wait = (given: Ticket, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        queue.remove(ticket);
        reject(signal.reason as Error);
        pump();
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

  const throttled = (error: unknown, sentAt: number): void => {
    const now = clock.now();
    if (rate) rate.refused(sentAt, now);
    else rate = learnRate(options.perSecond, burst, sentAt, now);
    options.onThrottle?.(error, rate.perSecond);
  };

  return {
    async run(call, signal, turn = {}) {
      const order = tickets++;
      for (let again = false; ; again = true) {
        const sentAt = await wait({ turn, order, again }, signal);
        try {
          return await call();
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
