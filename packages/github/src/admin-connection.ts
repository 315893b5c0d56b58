import { isRungarError, type Logger, limitTime, messageOf, type Random } from '@rungar/model';
import type { RequestName } from './answer.js';
import type { AuthorizedRest } from './authorized-rest.js';
import { type CallLimit, type CallScope, shareCall, withLimit } from './call-limit.js';
import type { ConfigUrl } from './config-url.js';
import type { Failures } from './errors.js';
import type { HeldSecrets } from './held-secrets.js';
import { failureIntervalMs } from './listing-interval.js';
import type { Pace } from './pace.js';
import type { Rest, RestRequest } from './rest.js';
import { withRetries } from './retry.js';
import type { RefuseScope } from './scope-refusal.js';
import type { ServerClock } from './server-clock.js';
import { decodeConnection, decodeToken } from './wire/token.js';

/** The way into the Actions service, good for every scale set of the scope. */
export interface Connection {
  /** The service's base, opaque. */
  readonly url: string;
  readonly token: string;
}

export interface AdminConnection {
  /**
   * A connection that is good for a minute yet, or the old one while it lasts and no new one can be had soon. After a failed
   * renewal the next one is begun no sooner than a failed listing would be.
   */
  get(signal: AbortSignal): Promise<Connection>;
  /** A newer connection than `refused`, which the Actions service did not accept. */
  renew(refused: Connection, signal: AbortSignal): Promise<Connection>;
  /** When the present connection expires, on the monotonic clock. */
  expiresAt(): number | undefined;
}

export interface AdminConnectionDeps {
  readonly scope: CallScope;
  readonly config: ConfigUrl;
  readonly rest: Rest;
  readonly authorized: AuthorizedRest;
  readonly refuseScope: RefuseScope;
  readonly pace: Pace;
  readonly failures: Failures;
  readonly serverClock: ServerClock;
  readonly random: Random;
  readonly secrets: HeldSecrets;
  readonly logger: Logger;
}

const RENEW_BEFORE_MS = 60_000;
const RENEW_LIMIT_MS = 60_000;
/** So long is a renewal waited for while the old connection lasts; the shortest call has 20 s. */
const RENEW_PATIENCE_MS = 16_000;
const HOUR_MS = 3_600_000;

interface TimedConnection extends Connection {
  /** On the monotonic clock. */
  readonly expiresAt: number;
}

export function createAdminConnection(deps: AdminConnectionDeps): AdminConnection {
  const { scope, config, rest, authorized, refuseScope, pace, failures, serverClock, random, secrets, logger } = deps;
  const { clock } = scope;
  const tokenPath = `${config.apiPath}/actions/runners/registration-token`;
  const tokenName: RequestName = { service: 'rest', method: 'POST', path: tokenPath };
  const connectPath = '/actions/runner-registration';
  const connectName: RequestName = { service: 'rest', method: 'POST', path: connectPath };
  let current: TimedConnection | undefined;
  /** Of the newest renewals, none of which worked. */
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let failuresInRow = 0;
  /** The connection whose renewal takes longer than anybody waits for it. */
  let slowlyRenewed: Connection | undefined;
  /** Trouble is repeated at once only after a renewal that worked. */
  const retries = (): number => (failuresInRow === 0 ? 4 : 0);

  const registrationToken = async (limit: CallLimit): Promise<string> => {
    const request = { method: 'POST', path: tokenPath, contentType: 'application/vnd.github.v3+json' } as const;
    const retry = { retries: retries(), clock, random, signal: limit.signal };
    const answer = await withRetries(() => authorized.send(request, limit), retry);
    if (answer.status !== 201) throw await refuseScope(tokenName, answer, limit);
    const decoded = decodeToken(answer.body);
    if (!decoded) throw failures.ofBody(tokenName, answer, 'a registration token');
    secrets.hold(decoded.token, 2 * HOUR_MS);
    return decoded.token;
  };

  const connect = async (limit: CallLimit): Promise<TimedConnection> => {
    const token = await registrationToken(limit);
    const request: RestRequest = {
      method: 'POST',
      path: connectPath,
      authorization: `RemoteAuth ${token}`,
      contentType: 'application/json',
      data: { url: config.href, runner_event: 'register' },
    };
    const attempt = async () => {
      await pace.admit(connectName, limit);
      const answer = await rest.send(request, limit.signal);
      pace.note(answer);
      return answer;
    };
    // A new registration token takes a moment to be known everywhere, so that a refusal may be a passing one.
    const alsoRetry = [401, 403];
    const answer = await withRetries(attempt, { retries: 4, clock, random, signal: limit.signal, alsoRetry });
    if (answer.status < 200 || answer.status > 299) throw failures.ofAnswer(connectName, answer);
    const decoded = decodeConnection(answer.body);
    if (!decoded)
      throw failures.ofBody(connectName, answer, "the Actions service's address and a token with its expiry");
    const lifeMs = decoded.expiresAt - serverClock.now();
    secrets.hold(decoded.token, lifeMs + HOUR_MS);
    return { url: decoded.url, token: decoded.token, expiresAt: clock.now() + lifeMs };
  };

  const late = (): Error => failures.ofSilence(connectName, 'there was no connection within 60 s');
  const replace = shareCall(async () => {
    try {
      current = await withLimit(scope, RENEW_LIMIT_MS, late, undefined, connect);
      failure = undefined;
      failuresInRow = 0;
      return current;
    } catch (error) {
      failure = { error, at: clock.now() };
      failuresInRow = isRungarError(error, 'unavailable') ? failuresInRow + 1 : 0;
      slowlyRenewed = undefined;
      throw error;
    }
  });

  const tooSlow = (): Error => failures.ofSilence(connectName, `a renewal takes over ${RENEW_PATIENCE_MS / 1000} s`);
  /** @throws when the renewal fails, and when it takes so long that the old connection is the better choice */
  const replaceSoon = async (old: Connection, signal: AbortSignal): Promise<Connection> => {
    const patience = limitTime(clock, RENEW_PATIENCE_MS, tooSlow, signal);
    try {
      return await replace(patience.signal);
    } finally {
      if (patience.expired) slowlyRenewed = old;
      patience[Symbol.dispose]();
    }
  };
  const isPausing = (): boolean =>
    failure !== undefined && clock.now() - failure.at < failureIntervalMs(Math.max(1, failuresInRow));

  return {
    async get(signal) {
      const old = current;
      if (!old) return replace(signal);
      const now = clock.now();
      if (now + RENEW_BEFORE_MS <= old.expiresAt) return old;
      const lasts = now < old.expiresAt;
      if (lasts && slowlyRenewed === old) return old;
      if (failure && isPausing()) {
        if (lasts) return old;
        throw failure.error;
      }
      if (!lasts) return replace(signal);
      try {
        return await replaceSoon(old, signal);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn('GitHub gave no new connection; the old one is used while it lasts', { error: messageOf(error) });
        return old;
      }
    },
    async renew(refused, signal) {
      if (current && current !== refused) return current;
      return replace(signal);
    },
    expiresAt: () => current?.expiresAt,
  };
}
