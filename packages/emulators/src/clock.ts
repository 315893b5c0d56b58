/** Stops a timer. Stopping one that has fired, or that was stopped before, does nothing. */
export type Cancel = () => void;

/** Where an emulator's time comes from. */
export interface EmulatorClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `run` once, `ms` milliseconds from now. */
  after(ms: number, run: () => void): Cancel;
}

/** The longest delay Node's timers take; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The host's own time. */
export const realClock: EmulatorClock = {
  now: () => Date.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > step ? wait(left - step) : run()), step);
    };
    wait(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends EmulatorClock {
  /** Moves on by `ms` milliseconds and fires what falls due on the way, each timer at its own instant and in order. */
  advance(ms: number): void;
  /** How many timers are waiting. */
  readonly waiting: number;
}

/**
 * A clock that tests move by hand.
 * @param startAt epoch milliseconds at which the clock stands
 */
export function manualClock(startAt: number): ManualClock {
  let now = startAt;
  let nextId = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const earliest = (until: number): number | undefined => {
    let found: { id: number; at: number } | undefined;
    for (const [id, { at }] of timers) if (at <= until && (!found || at < found.at)) found = { id, at };
    return found?.id;
  };
  return {
    now: () => now,
    after(ms, run) {
      const id = nextId++;
      timers.set(id, { at: now + Math.max(0, ms), run });
      return () => timers.delete(id);
    },
    advance(ms) {
      const until = now + ms;
      for (let id = earliest(until); id !== undefined; id = earliest(until)) {
        const timer = timers.get(id);
        timers.delete(id);
        if (!timer) continue;
        now = Math.max(now, timer.at);
        timer.run();
      }
      now = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** A clock whose timers can all be stopped together, for something that is closed one day. */
export interface ScopedClock extends EmulatorClock {
  /** Stops every timer and takes no more. */
  close(): void;
}

/** The same time as `clock`, with the timers set through it kept together. */
export function scopedClock(clock: EmulatorClock): ScopedClock {
  const running = new Set<Cancel>();
  let closed = false;
  return {
    now: () => clock.now(),
    after(ms, run) {
      if (closed) return () => {};
      const stop = clock.after(ms, () => {
        running.delete(cancel);
        run();
      });
      const cancel = (): void => {
        running.delete(cancel);
        stop();
      };
      running.add(cancel);
      return cancel;
    },
    close() {
      closed = true;
      for (const cancel of [...running]) cancel();
    },
  };
}
