import type { Random } from '@rungar/model';
import type { AdminConnection, Connection } from './admin-connection.js';
import type { Answer, RequestName } from './answer.js';
import { type CallLimit, type CallScope, withLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import type { Pace } from './pace.js';
import { withRetries } from './retry.js';
import type { Transport } from './transport.js';
import { type ClientIdentity, userAgentOf } from './user-agent.js';

/** A request to the Actions service. */
export interface ActionsRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Under the service's base, percent-encoded, without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The scale set it is about, for the `User-Agent`. */
  readonly scaleSetId?: number;
  /** A token to use instead of the admin connection's. Its refusal is the caller's affair. */
  readonly bearer?: string;
  /** How often to repeat after trouble; 4 unless said. */
  readonly retries?: number;
  /** For all attempts together; 60 s unless said. */
  readonly limitMs?: number;
  /** Goes out even while the service wants a pause: what keeps a session does. */
  readonly urgent?: boolean;
  /** Fails at once while the service wants a pause, rather than wait for its end. */
  readonly impatient?: boolean;
}

/** GitHub's Actions service, where scale sets, runners and sessions live. */
export interface ActionsService {
  /** Makes sure of the way in, so that the next call is one request. */
  connect(signal: AbortSignal): Promise<void>;
  /**
   * Asks, and gives the answer of whatever status. Trouble is retried; an admin token refused before its time is
   * renewed once.
   * @throws the signal's reason when it aborted
   * @throws GitHubError `unavailable` without an answer
   */
  call(request: ActionsRequest, signal: AbortSignal | undefined): Promise<Answer>;
  /** Like {@link ActionsService.call}. @throws GitHubError for an answer of another status than `wanted` */
  expect(wanted: number, request: ActionsRequest, signal: AbortSignal | undefined): Promise<Answer>;
  /** The error for an answer to `request`. */
  refusal(request: ActionsRequest, answer: Answer): Error;
  /** The error for a successful answer to `request` that lacks what it is for. */
  incomplete(request: ActionsRequest, answer: Answer, missing: string): Error;
}

export interface ActionsServiceDeps {
  readonly scope: CallScope;
  readonly admin: AdminConnection;
  readonly transport: Transport;
  readonly pace: Pace;
  readonly failures: Failures;
  readonly random: Random;
  readonly client: ClientIdentity;
}

const API_VERSION = '6.0-preview';
const CALL_LIMIT_MS = 60_000;
const RETRIES = 4;

/** `path` under `base`, whose own path and query stay. */
function actionsUrl(base: string, path: string, query: ActionsRequest['query'] = {}): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  if (!url.searchParams.has('api-version')) url.searchParams.set('api-version', API_VERSION);
  // A plus for a space is a habit of forms that not every server shares.
  url.search = url.search.replaceAll('+', '%20');
  return url;
}

export function createActionsService(deps: ActionsServiceDeps): ActionsService {
  const { scope, admin, transport, pace, failures, random, client } = deps;
  const nameOf = (request: ActionsRequest): RequestName => ({
    service: 'actions',
    method: request.method,
    path: `/${request.path}`,
  });

  const send = async (request: ActionsRequest, connection: Connection, limit: CallLimit): Promise<Answer> => {
    const name = nameOf(request);
    if (!request.urgent) await pace.admit(name, request.impatient ? { ...limit, endsAt: scope.clock.now() } : limit);
    const answer = await transport.send(
      {
        name,
        url: actionsUrl(connection.url, request.path, request.query),
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${request.bearer ?? connection.token}`,
          'user-agent': userAgentOf(client, request.scaleSetId),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      },
      limit.signal,
    );
    if (!request.urgent) pace.note(answer);
    return answer;
  };

  const sendPatiently = (request: ActionsRequest, connection: Connection, limit: CallLimit): Promise<Answer> =>
    withRetries(() => send(request, connection, limit), {
      retries: request.retries ?? RETRIES,
      clock: scope.clock,
      random,
      signal: limit.signal,
    });

  const call: ActionsService['call'] = (request, signal) => {
    const { limitMs = CALL_LIMIT_MS } = request;
    const late = (): Error => failures.ofSilence(nameOf(request), `there was no answer within ${limitMs / 1000} s`);
    return withLimit(scope, limitMs, late, signal, async (limit) => {
      const connection = await admin.get(limit.signal);
      const answer = await sendPatiently(request, connection, limit);
      if (answer.status !== 401 || request.bearer !== undefined) return answer;
      return sendPatiently(request, await admin.renew(connection, limit.signal), limit);
    });
  };

  const refusal: ActionsService['refusal'] = (request, answer) => failures.ofAnswer(nameOf(request), answer);

  return {
    async connect(signal) {
      await admin.get(signal);
    },
    call,
    async expect(wanted, request, signal) {
      const answer = await call(request, signal);
      if (answer.status !== wanted) throw refusal(request, answer);
      return answer;
    },
    refusal,
    incomplete: (request, answer, missing) => failures.ofBody(nameOf(request), answer, missing),
  };
}
