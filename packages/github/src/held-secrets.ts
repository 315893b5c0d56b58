import type { Clock, Redactor } from '@rungar/model';

/** Keeps the client's live secrets with the redactor, each for as long as it could still turn up in a text. */
export interface HeldSecrets {
  /** @param forMs how long it stays; for good where absent */
  hold(secret: string, forMs?: number): void;
  releaseAll(): void;
}

export function createHeldSecrets(redactor: Redactor, clock: Clock): HeldSecrets {
  const held = new Map<string, { until: number; release: () => void }>();
  /** No secret is to be released before: thousands may be held, and most calls come long before the first is due. */
  let nextDue = Number.POSITIVE_INFINITY;

  const releaseExpired = (now: number): void => {
    if (now < nextDue) return;
    nextDue = Number.POSITIVE_INFINITY;
    for (const [secret, { until, release }] of held) {
      if (until > now) {
        nextDue = Math.min(nextDue, until);
        continue;
      }
      release();
      held.delete(secret);
    }
  };

  return {
    hold(secret, forMs = Number.POSITIVE_INFINITY) {
      const now = clock.now();
      releaseExpired(now);
      const release = held.get(secret)?.release ?? redactor.hold(secret);
      const until = now + forMs;
      held.set(secret, { until, release });
      nextDue = Math.min(nextDue, until);
    },
    releaseAll() {
      for (const { release } of held.values()) release();
      held.clear();
    },
  };
}
