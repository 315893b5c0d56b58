import type { Octokit } from '@octokit/core';
import type { Answer, RequestName } from './answer.js';
import type { ServerClock } from './server-clock.js';
import type { Transport } from './transport.js';

/** A request to GitHub's REST API. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Under the API's base, percent-encoded, without a query. */
  readonly path: string;
  /** The path as errors may name it, where it holds a secret. */
  readonly shownPath?: string;
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
  path: request.shownPath ?? request.path,
});

const silent = (): void => {};

/**
 * Octokit makes the requests, and the connections are ours: it knows neither proxies nor answers that are not JSON.
 */
export function createRest({ apiBase, userAgent, serverClock, transport }: RestOptions): Rest {
  let loading: Promise<Octokit> | undefined;

  const load = async (): Promise<Octokit> => {
    const { Octokit } = await import('@octokit/core');
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    return new Octokit({ baseUrl: apiBase, log, request: { log } });
  };

  return {
    async send(request, signal) {
      const { authorization, contentType, ifNoneMatch, data } = request;
      loading ??= load();
      const octokit = await loading;
      const call: { sent?: Promise<Answer> } = {};
      const fetch = async (url: string, made: MadeRequest): Promise<EmptyAnswer> => {
        const { headers, body } = made;
        const name = nameOfRest(request);
        call.sent = transport.send({ name, url: new URL(url), headers, ...(body !== undefined && { body }) }, signal);
        await call.sent;
        return { url, status: 204, headers: [] };
      };
      const asked = octokit.request(`${request.method} ${request.path}${request.query ?? ''}`, {
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': userAgent,
          ...(authorization !== undefined && { authorization }),
          ...(contentType !== undefined && { 'content-type': contentType }),
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        },
        ...(data !== undefined && { data }),
        request: { fetch, signal },
      });
      // What Octokit makes of an answer, or of none, hides what was said: the transport's own word counts.
      await asked.catch((error: unknown) => {
        if (call.sent === undefined) throw error;
      });
      if (call.sent === undefined) throw new TypeError(`${request.method} ${request.path} was not sent`);
      const answer = await call.sent;
      serverClock.note(answer.headers.date);
      return answer;
    },
  };
}

/**
 * All that Octokit reads of an answer without a body. The first `Response` of a process would load Node's whole fetch,
 * a fifth of the time from start to first poll.
 */
interface EmptyAnswer {
  readonly url: string;
  readonly status: 204;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What Octokit hands to `fetch`. */
interface MadeRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
