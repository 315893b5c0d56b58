import { type KeyObject, sign } from 'node:crypto';
import type { Answer, RequestName } from './answer.js';
import { type CallLimit, shareCall, withLimit } from './call-limit.js';
import { type Credentials, readPrivateKey } from './credentials.js';
import { GitHubError } from './errors.js';
import type { RestRequest } from './rest.js';
import { withRetries } from './retry.js';
import type { TokenSource, TokenSourceDeps } from './token-source.js';
import { decodeToken } from './wire/token.js';

const ISSUED_BEFORE_S = 60;
const EXPIRES_AFTER_S = 8 * 60;
/** A token is renewed this long before it expires. */
const RENEW_BEFORE_MS = 5 * 60_000;
const MINT_LIMIT_MS = 60_000;
/** About what the JWT's own margins cover. */
const BAD_CLOCK_MS = 30_000;
const HOUR_MS = 3_600_000;

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The JWT by which an App introduces itself: issued a minute ago, so that a host whose clock is ahead is believed,
 * and good for eight more minutes.
 * @param now GitHub's time in epoch milliseconds
 */
export function signAppJwt(clientId: string, key: KeyObject, now: number): string {
  const seconds = Math.floor(now / 1000);
  const head = base64url({ alg: 'RS256', typ: 'JWT' });
  const content = `${head}.${base64url({ iat: seconds - ISSUED_BEFORE_S, exp: seconds + EXPIRES_AFTER_S, iss: clientId })}`;
  const signature = sign('RSA-SHA256', Buffer.from(content), key).toString('base64url');
  return `${content}.${signature}`;
}

/** `45 s behind` or `3 min 20 s ahead of`. */
function describeSkew(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${length} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

/** The installation tokens of an App: each kept until five minutes before it expires, and made once for all. */
export function installationTokens(
  credentials: Extract<Credentials, { kind: 'app' }>,
  deps: TokenSourceDeps,
): TokenSource {
  const { scope, rest, pace, failures, serverClock, random, secrets, logger } = deps;
  const { clock } = scope;
  const key = readPrivateKey(credentials.privateKey);
  secrets.hold(credentials.privateKey.reveal());
  const path = `/app/installations/${credentials.installationId}/access_tokens`;
  const name: RequestName = { service: 'rest', method: 'POST', path };
  let current: { readonly token: string; readonly expiresAt: number } | undefined;
  let failed = false;

  const signedRequest = (): RestRequest => {
    const jwt = signAppJwt(credentials.clientId, key, serverClock.now());
    secrets.hold(jwt, HOUR_MS);
    return { method: 'POST', path, authorization: `Bearer ${jwt}` };
  };

  /** One try, and a second one when the date of the refusal shows that the first was signed by a bad clock. */
  const ask = async (limit: CallLimit): Promise<Answer> => {
    await pace.admit(name, limit);
    const signedAt = serverClock.now();
    const answer = await rest.send(signedRequest(), limit.signal);
    pace.note(answer);
    if (answer.status !== 401 || Math.abs(serverClock.now() - signedAt) < BAD_CLOCK_MS) return answer;
    logger.warn("This host's clock is wrong; GitHub's is used instead", { aheadMs: serverClock.aheadMs() });
    return rest.send(signedRequest(), limit.signal);
  };

  const refusalOf = (answer: Answer): GitHubError => {
    const error = failures.ofAnswer(name, answer);
    if (error.failure.transient) return error;
    const failure = { ...error.failure, badCredentials: answer.status === 401 || answer.status === 404 };
    const aheadMs = serverClock.aheadMs();
    if (answer.status === 401 && Math.abs(aheadMs) >= BAD_CLOCK_MS) {
      const message = `${error.message}; this host's clock is ${describeSkew(aheadMs)} GitHub's`;
      return new GitHubError(error.code, message, failure, {
        hint: "Set this host's clock right; if that does not help, check the App's client id and private key.",
      });
    }
    const { installationId, clientId } = credentials;
    const hint =
      answer.status === 404
        ? `Check that ${installationId} is an installation's id of the App ${clientId}.`
        : error.hint;
    return new GitHubError(error.code, error.message, failure, hint === undefined ? {} : { hint });
  };

  const make = async (limit: CallLimit): Promise<string> => {
    const { signal } = limit;
    // Whoever asks again after a failure has waited already.
    const retries = failed ? 0 : 4;
    failed = true;
    const answer = await withRetries(() => ask(limit), { retries, clock, random, signal });
    if (answer.status !== 201) throw refusalOf(answer);
    const decoded = decodeToken(answer.body);
    if (!decoded) throw failures.ofBody(name, answer, 'a token');
    const lifeMs = decoded.expiresAt === undefined ? HOUR_MS : decoded.expiresAt - serverClock.now();
    secrets.hold(decoded.token, lifeMs + HOUR_MS);
    failed = false;
    current = { token: decoded.token, expiresAt: clock.now() + lifeMs };
    return decoded.token;
  };

  const late = (): Error => failures.ofSilence(name, 'there was no token within 60 s');
  const makeOnce = shareCall(() => withLimit(scope, MINT_LIMIT_MS, late, undefined, make));

  return {
    async get(signal) {
      return current && clock.now() < current.expiresAt - RENEW_BEFORE_MS ? current.token : makeOnce(signal);
    },
    refused(token) {
      if (current?.token === token) current = undefined;
      return true;
    },
    expiresAt: () => current?.expiresAt,
  };
}
