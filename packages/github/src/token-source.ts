import type { Logger, Random } from '@rungar/model';
import type { CallScope } from './call-limit.js';
import type { Failures } from './errors.js';
import type { HeldSecrets } from './held-secrets.js';
import type { Pace } from './pace.js';
import type { Rest } from './rest.js';
import type { ServerClock } from './server-clock.js';

/** Where the token for the REST API comes from. */
export interface TokenSource {
  /** A token that is good for some minutes yet. Callers at one time share one request for it. */
  get(signal: AbortSignal): Promise<string>;
  /** Tells that GitHub refused `token`. @returns whether another one can be had */
  refused(token: string): boolean;
  /** When the present token expires, on the monotonic clock; nothing before there is one, and for one that GitHub gives no end. */
  expiresAt(): number | undefined;
}

export interface TokenSourceDeps {
  readonly scope: CallScope;
  readonly rest: Rest;
  readonly pace: Pace;
  readonly failures: Failures;
  readonly serverClock: ServerClock;
  readonly random: Random;
  readonly secrets: HeldSecrets;
  readonly logger: Logger;
}
