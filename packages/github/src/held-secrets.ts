import type { Clock, Redactor } from '@rungar/model';

/** Keeps the client's live secrets with the redactor, each for as long as it could still turn up in a text. */
export interface HeldSecrets {
  /** @param forMs how long it stays; for good where absent */
  hold(secret: string, forMs?: number): void;
  releaseAll(): void;
}

export function createHeldSecrets(redactor: Redactor, clock: Clock): HeldSecrets {
  const held = new Map<string, { until: number; release: () => void }>();

  const releaseExpired = (now: number): void => {
    for (const [secret, { until, release }] of held) {
      if (until > now) continue;
      release();
      held.delete(secret);
    }
  };

  return {
    hold(secret, forMs = Number.POSITIVE_INFINITY) {
      const now = clock.now();
      releaseExpired(now);
      const release = held.get(secret)?.release ?? redactor.hold(secret);
      held.set(secret, { until: now + forMs, release });
    },
    releaseAll() {
      for (const { release } of held.values()) release();
      held.clear();
    },
  };
}
