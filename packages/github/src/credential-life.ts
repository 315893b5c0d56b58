import type { Clock } from '@rungar/model';
import type { Answer } from './answer.js';
import type { ServerClock } from './server-clock.js';

/** When the credential itself ends, as far as GitHub tells: of a personal access token that was given an end. */
export interface CredentialLife {
  note(answer: Answer): void;
  /** On the monotonic clock. */
  expiresAt(): number | undefined;
  /** Another credential is used from now on. */
  forget(): void;
}

/** GitHub's way to write the end of a token: `2027-02-03 11:09:00 UTC`, or with an offset, `2027-02-03 13:09:00 +0200`. */
const INSTANT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:UTC|([+-]\d\d):?(\d\d))$/;

export function createCredentialLife(clock: Clock, serverClock: ServerClock): CredentialLife {
  let expiresAt: number | undefined;
  return {
    note({ headers }) {
      const [, day, time, hours, minutes] = INSTANT.exec(headers['github-authentication-token-expiration'] ?? '') ?? [];
      if (day === undefined || time === undefined) return;
      const end = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
      if (Number.isFinite(end)) expiresAt = clock.now() + end - serverClock.now();
    },
    expiresAt: () => expiresAt,
    forget: () => {
      expiresAt = undefined;
    },
  };
}
