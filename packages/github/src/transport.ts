import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Got, Method } from 'got';
import type { Answer, RequestName } from './answer.js';
import type { Failures } from './errors.js';
import { parseBody } from './wire/body.js';

/** A request to the Actions service or the message queue. */
export interface HttpRequest {
  readonly name: RequestName;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Called with the status of every answer, or `error` where there was none. */
export type RequestObserver = (status: number | 'error') => void;

/** Sends single requests: no retries, no time limits, no opinion on statuses. */
export interface Transport {
  /**
   * @throws the signal's reason when it aborted
   * @throws GitHubError `unavailable` without an answer
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

interface Connections {
  readonly got: Got;
  readonly agent: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

/** Loads the library with the first request: an import of this package stays cheap. */
async function loadConnections(): Promise<Connections> {
  const [{ got }, http, https] = await Promise.all([import('got'), import('node:http'), import('node:https')]);
  return {
    got,
    agent: { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) },
  };
}

export function createTransport(failures: Failures, onRequest: RequestObserver): Transport {
  let loading: Promise<Connections> | undefined;
  return {
    async send(request, signal) {
      loading ??= loadConnections();
      const { got, agent } = await loading;
      try {
        const response = await got(request.url, {
          method: request.name.method as Method,
          headers: request.headers,
          ...(request.body !== undefined && { body: request.body }),
          agent,
          signal,
          retry: { limit: 0 },
          throwHttpErrors: false,
          responseType: 'text',
        });
        onRequest(response.statusCode);
        return { status: response.statusCode, headers: firstValues(response.headers), body: parseBody(response.body) };
      } catch (error) {
        signal.throwIfAborted();
        onRequest('error');
        throw failures.ofSilence(request.name, error);
      }
    },
    close() {
      loading?.then(
        ({ agent }) => {
          agent.http.destroy();
          agent.https.destroy();
        },
        () => {},
      );
    },
  };
}

function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
