import type { Clock } from '@rungar/model';

/** Things that were so a moment ago, and are no longer taken for so after a while. */
export interface Recent {
  add(key: string): void;
  has(key: string): boolean;
  delete(key: string): void;
  /** Those still remembered, the oldest first. */
  keys(): readonly string[];
}

/** @param forMs how long a key is remembered, in milliseconds; adding it again begins anew */
export function rememberFor(forMs: number, clock: Clock): Recent {
  const until = new Map<string, number>();

  const forget = (now: number): void => {
    for (const [key, end] of until) {
      if (end > now) return;
      until.delete(key);
    }
  };

  return {
    add(key) {
      const now = clock.now();
      forget(now);
      until.delete(key); // added anew below, so that the map stays ordered by its ends
      until.set(key, now + forMs);
    },
    has(key) {
      return (until.get(key) ?? Number.NEGATIVE_INFINITY) > clock.now();
    },
    delete(key) {
      until.delete(key);
    },
    keys() {
      forget(clock.now());
      return [...until.keys()];
    },
  };
}
