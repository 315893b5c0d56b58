import type { Logger, Random } from '@rungar/model';
import { installationTokens } from './app-auth.js';
import type { CallScope } from './call-limit.js';
import type { Credentials } from './credentials.js';
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

export function createTokenSource(credentials: Credentials, deps: TokenSourceDeps): TokenSource {
  switch (credentials.kind) {
    case 'token': {
      const token = credentials.token.reveal();
      deps.secrets.hold(token);
      return { get: async () => token, refused: () => false };
    }
    case 'app':
      deps.secrets.hold(credentials.privateKey.reveal());
      return installationTokens(credentials, deps);
  }
}
