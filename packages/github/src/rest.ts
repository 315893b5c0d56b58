import type { Answer, RequestName } from './answer.js';
import type { ServerClock } from './server-clock.js';
import type { Transport } from './transport.js';

/** A request to GitHub's REST API. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Under the API's base, percent-encoded, without a query. */
  readonly path: string;
  readonly query?: string;
  /** Scheme and token. */
  readonly authorization?: string;
  readonly contentType?: string;
  readonly data?: unknown;
  /** The answer that is known already, by its `ETag`. */
  readonly ifNoneMatch?: string;
}

/** Sends single requests to the REST API: no retries, no time limits, no opinion on statuses. */
export interface Rest {
  /**
   * @throws the signal's reason when it aborted
   * @throws GitHubError `unavailable` without an answer
   */
  send(request: RestRequest, signal: AbortSignal): Promise<Answer>;
}

export interface RestOptions {
  readonly apiBase: string;
  readonly userAgent: string;
  readonly serverClock: ServerClock;
  readonly transport: Transport;
}

export const nameOfRest = (request: RestRequest): RequestName => ({
  service: 'rest',
  method: request.method,
  path: request.path,
});

export function createRest({ apiBase, userAgent, serverClock, transport }: RestOptions): Rest {
  return {
    async send(request, signal) {
      const { authorization, contentType, ifNoneMatch, data } = request;
      const answer = await transport.send(
        {
          name: nameOfRest(request),
          url: new URL(`${apiBase}${request.path}${request.query ?? ''}`),
          headers: {
            accept: 'application/vnd.github+json',
            'x-github-api-version': '2022-11-28',
            'user-agent': userAgent,
            ...(authorization !== undefined && { authorization }),
            ...(contentType !== undefined && { 'content-type': contentType }),
            ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
          },
          ...(data !== undefined && { body: JSON.stringify(data) }),
        },
        signal,
      );
      serverClock.note(answer.headers.date);
      return answer;
    },
  };
}
