import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Got, Method } from 'got';
import type { Answer, RequestName } from './answer.js';
import type { Failures } from './errors.js';
import type { ChooseProxy } from './proxies.js';
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

export interface TransportOptions {
  readonly failures: Failures;
  readonly onRequest: RequestObserver;
  readonly proxyFor: ChooseProxy;
}

/** The connections of one way, kept open between requests. */
interface Way {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

async function openDirectWay(): Promise<Way> {
  const [http, https] = await Promise.all([import('node:http'), import('node:https')]);
  return { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
}

async function openProxyWay(proxy: URL): Promise<Way> {
  const [{ HttpProxyAgent }, { HttpsProxyAgent }] = await Promise.all([
    import('http-proxy-agent'),
    import('https-proxy-agent'),
  ]);
  return {
    http: new HttpProxyAgent(proxy, { keepAlive: true }),
    https: new HttpsProxyAgent(proxy, { keepAlive: true }),
  };
}

const DIRECT = '';

/** The library is loaded with the first request, that of proxies with the first one through a proxy. */
export function createTransport({ failures, onRequest, proxyFor }: TransportOptions): Transport {
  let loading: Promise<Got> | undefined;
  const ways = new Map<string, Promise<Way>>();

  const wayTo = (proxy: URL | undefined): Promise<Way> => {
    const key = proxy?.href ?? DIRECT;
    const known = ways.get(key) ?? (proxy ? openProxyWay(proxy) : openDirectWay());
    ways.set(key, known);
    return known;
  };

  const ask = async (request: HttpRequest, signal: AbortSignal): Promise<Answer> => {
    loading ??= import('got').then(({ got }) => got);
    const proxy = proxyFor(request.url);
    const [got, agent] = await Promise.all([loading, wayTo(proxy)]);
    let refusedByProxy: number | undefined;
    const { statusCode, headers, body } = await got(request.url, {
      method: request.name.method as Method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      agent,
      signal,
      retry: { limit: 0 },
      throwHttpErrors: false,
      responseType: 'text',
    }).on('request', (sent) => {
      sent.once('proxyConnect', (connected: { readonly statusCode: number }) => {
        if (connected.statusCode !== 200) refusedByProxy = connected.statusCode;
      });
    });
    // Whatever a proxy says in place of a way to GitHub must not be taken for GitHub's word.
    if (proxy && (refusedByProxy !== undefined || statusCode === 407)) {
      throw new ProxyRefusal(proxy, refusedByProxy ?? statusCode);
    }
    return { status: statusCode, headers: firstValues(headers), body: parseBody(body) };
  };

  return {
    async send(request, signal) {
      try {
        const answer = await ask(request, signal);
        onRequest(answer.status);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        onRequest('error');
        throw failures.ofSilence(request.name, error);
      }
    },
    close() {
      for (const way of ways.values()) {
        way.then(
          ({ http, https }) => {
            http.destroy();
            https.destroy();
          },
          () => {},
        );
      }
    },
  };
}

/** A proxy let nobody through. */
class ProxyRefusal extends Error {
  readonly code: string;

  constructor(proxy: URL, status: number) {
    super(`the proxy ${proxy.host} answered ${status}`);
    this.code = status === 403 || status === 407 ? 'ERR_PROXY_REFUSED' : 'ERR_PROXY';
  }
}

function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
