import type { Octokit } from '@octokit/core';
import type { Answer, RequestName } from './answer.js';
import type { Failures } from './errors.js';
import type { ServerClock } from './server-clock.js';
import type { RequestObserver } from './transport.js';

/** A request to GitHub's REST API. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Under the API's base, percent-encoded, without a query. */
  readonly path: string;
  readonly query?: string;
  /** Scheme and token. */
  readonly authorization: string;
  readonly contentType?: string;
  readonly data?: unknown;
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
  readonly failures: Failures;
  readonly onRequest: RequestObserver;
}

const silent = (): void => {};

/** Errors of the library that carry an answer; the one it makes of silence has a made-up status and no answer. */
function answerOf(error: unknown): Answer | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const response = error.response as { status: number; headers: Answer['headers']; data?: unknown } | undefined;
  return response && { status: response.status, headers: response.headers, body: response.data ?? '' };
}

export const nameOfRest = (request: RestRequest): RequestName => ({
  service: 'rest',
  method: request.method,
  path: request.path,
});

export function createRest(options: RestOptions): Rest {
  const { apiBase, userAgent, serverClock, failures, onRequest } = options;
  let loading: Promise<Octokit> | undefined;

  const load = async (): Promise<Octokit> => {
    const { Octokit } = await import('@octokit/core');
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    return new Octokit({ baseUrl: apiBase, log, request: { log } });
  };

  const ask = async (request: RestRequest, signal: AbortSignal): Promise<Answer> => {
    loading ??= load();
    const octokit = await loading;
    try {
      const response = await octokit.request(`${request.method} ${request.path}${request.query ?? ''}`, {
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': userAgent,
          authorization: request.authorization,
          ...(request.contentType !== undefined && { 'content-type': request.contentType }),
        },
        ...(request.data !== undefined && { data: request.data }),
        request: { signal },
      });
      return { status: response.status, headers: response.headers as Answer['headers'], body: response.data ?? '' };
    } catch (error) {
      signal.throwIfAborted();
      const answer = answerOf(error);
      if (!answer) throw failures.ofSilence(nameOfRest(request), error);
      return answer;
    }
  };

  return {
    async send(request, signal) {
      try {
        const answer = await ask(request, signal);
        onRequest(answer.status);
        serverClock.note(answer.headers.date);
        return answer;
      } catch (error) {
        if (!signal.aborted) onRequest('error');
        throw error;
      }
    },
  };
}
