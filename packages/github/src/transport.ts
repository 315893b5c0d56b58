import type { ProxySettings } from '@rungar/proxies';
import type { Answer, RequestName } from './answer.js';
import { type Connections, openConnections } from './connections.js';
import type { Failures } from './errors.js';
import { parseBody } from './wire/body.js';

/** A request to one of GitHub's services. */
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

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * Makes one request, once, and gives the answer of whatever status.
 * @throws without an answer, and when `signal` aborts
 */
export type Exchange = (request: WireRequest, signal: AbortSignal) => Promise<WireAnswer>;

export interface TransportOptions {
  readonly failures: Failures;
  readonly onRequest: RequestObserver;
  readonly proxies: ProxySettings;
  /** In place of connections of our own, and of the proxies. */
  readonly exchange?: Exchange;
}

export function createTransport({ failures, onRequest, proxies, exchange }: TransportOptions): Transport {
  const connections: Connections = exchange ? { exchange, close() {} } : openConnections(proxies);
  return {
    async send({ name, url, headers, body }, signal) {
      try {
        const request = { method: name.method, url, headers, ...(body !== undefined && { body }) };
        const answer = await connections.exchange(request, signal);
        onRequest(answer.status);
        return { status: answer.status, headers: firstValues(answer.headers), body: parseBody(answer.body) };
      } catch (error) {
        signal.throwIfAborted();
        onRequest('error');
        throw failures.ofSilence(name, error);
      }
    },
    close: () => connections.close(),
  };
}

function firstValues(headers: WireAnswer['headers']): Answer['headers'] {
  const first: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) first[name] = Array.isArray(value) ? value[0] : value;
  return first;
}
