export type Misfortune =
  /** It never connected. */
  | 'never_connected'
  /** It ended within a minute of connecting, without a job. */
  | 'died_young';

/** Runners of one scale set on one provider that came to nothing, one after another. */
export interface Brake {
  readonly strikes: number;
  readonly last: { readonly runner: string; readonly kind: Misfortune };
  readonly tryAgainAt: number;
}

const BRAKE_STRIKES = 3;
const BRAKE_FIRST_MS = 30_000;
const BRAKE_MAX_MS = 10 * 60_000;
/** A runner that ends sooner than this after connecting, and without a job, has died young. */
export const YOUNG_DEATH_MS = 60_000;
/** A runner that stays connected this long shows that the provider is well. */
export const WELL_AFTER_MS = 2 * 60_000;

/** The pause between creations after that many misfortunes in a row; none before the third. */
export function brakeMs(strikes: number): number {
  if (strikes < BRAKE_STRIKES) return 0;
  return Math.min(BRAKE_FIRST_MS * 2 ** Math.min(strikes - BRAKE_STRIKES, 16), BRAKE_MAX_MS);
}

export function afterMisfortune(before: Brake | undefined, runner: string, kind: Misfortune, now: number): Brake {
  const strikes = (before?.strikes ?? 0) + 1;
  return { strikes, last: { runner, kind }, tryAgainAt: now + brakeMs(strikes) };
}

/** The brake after a creation was let through: the next one waits the pause again. */
export function afterAttempt(brake: Brake, now: number): Brake {
  return { ...brake, tryAgainAt: now + brakeMs(brake.strikes) };
}

export const isBraked = (brake: Brake | undefined): brake is Brake =>
  brake !== undefined && brake.strikes >= BRAKE_STRIKES;

/** The brake for people. */
export function describeBrake({ strikes, last }: Brake): string {
  return last.kind === 'never_connected'
    ? `slowed down: ${strikes} runners in a row came to nothing, last ${last.runner}, which never connected`
    : `slowed down: ${strikes} runners in a row came to nothing, last ${last.runner}, which ended right after it ` +
        'connected; check the image and its runner version';
}
