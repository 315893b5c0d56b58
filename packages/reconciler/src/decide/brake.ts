export type Misfortune =
  /** It never connected. */
  | 'never_connected'
  /** It ended within a minute of connecting, without a job. */
  | 'died_young';

/** Runners of one scale set on one provider that came to nothing, one after another. */
export interface Brake {
  readonly strikes: number;
  readonly last: { readonly runner: string; readonly kind: Misfortune };
  /** When a misfortune last counted. */
  readonly raisedAt: number;
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

/** A runner that came to nothing. */
export interface FailedRunner {
  readonly runner: string;
  readonly kind: Misfortune;
  /** When its machine was created. */
  readonly createdAt: number;
  readonly now: number;
}

/**
 * The brake after one more misfortune. Once it is on, those of runners that had been created before are no news: only
 * one of a runner created since makes the pause longer.
 */
export function afterMisfortune(before: Brake | undefined, { runner, kind, createdAt, now }: FailedRunner): Brake {
  const last = { runner, kind };
  if (isBraked(before) && createdAt <= before.raisedAt) return { ...before, last };
  const strikes = (before?.strikes ?? 0) + 1;
  return { strikes, last, raisedAt: now, tryAgainAt: now + brakeMs(strikes) };
}

/**
 * Whether a runner that works shows that the misfortunes are over. One that had worked for a while before the last of
 * them proves nothing: it may have been made from another image.
 * @param connectedAt when it connected; absent for one this daemon has not seen connecting
 */
export function isOver({ raisedAt }: Brake, connectedAt: number | undefined): boolean {
  return connectedAt !== undefined && connectedAt + WELL_AFTER_MS > raisedAt;
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
