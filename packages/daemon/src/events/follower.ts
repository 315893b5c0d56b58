import { RungarError, type RungarEvent } from '@rungar/model';

/** How many events a follower may be behind. */
const FOLLOWER_LIMIT = 256;

/** One reader of events as they come. Whoever records never waits for it. */
export interface Follower {
  push(event: RungarEvent): void;
  /** No more will come: what is waiting is still given out. */
  end(): void;
  /**
   * Events in order, until the end or until `signal` aborts. To be called once.
   * @throws RungarError `unavailable` once more than 256 wait; the signal's reason
   */
  events(signal: AbortSignal): AsyncGenerator<RungarEvent, void>;
}

/** @param onGone called when it will take no more events */
export function createFollower(onGone: () => void): Follower {
  let waiting: RungarEvent[] = [];
  let ended = false;
  let fellBehind = false;
  let wake = (): void => {};

  return {
    push(event) {
      if (fellBehind) return;
      if (waiting.length < FOLLOWER_LIMIT) waiting.push(event);
      else {
        fellBehind = true;
        waiting = [];
        onGone();
      }
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *events(signal) {
      const onAbort = (): void => wake();
      signal.addEventListener('abort', onAbort);
      try {
        for (;;) {
          signal.throwIfAborted();
          if (fellBehind) {
            throw new RungarError('unavailable', `this follower fell behind by more than ${FOLLOWER_LIMIT} events`, {
              hint: 'Follow again from the last event you have.',
            });
          }
          const next = waiting.shift();
          if (next) yield next;
          else if (ended) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        onGone();
      }
    },
  };
}
