import type { Agent, IncomingMessage, request as requestOverHttp } from 'node:http';
import { createChooseProxy, openAgents, ProxyRefusal, type ProxySettings } from '@rungar/proxies';
import { onward } from './redirects.js';
import type { Exchange, WireAnswer, WireRequest } from './transport.js';

/** Connections of our own, kept open between requests. */
export interface Connections {
  readonly exchange: Exchange;
  close(): void;
}

/** A page of a hundred runners is a hundredth of it. */
const LONGEST_BODY = 16 * 1024 * 1024;

/** How requests of one scheme go out, directly or through one proxy. */
interface Way {
  readonly request: typeof requestOverHttp;
  readonly agent: Agent;
}

/**
 * Node's own client, which costs a quarter of what a library on top of it does. Redirects are followed, gzip is
 * unpacked, and nothing else is done. Nothing is loaded before the first request.
 */
export function openConnections(proxies: ProxySettings): Connections {
  const proxyFor = createChooseProxy(proxies);
  const ways = new Map<string, Promise<Way>>();

  const wayTo = (url: URL, proxy: URL | undefined): Promise<Way> => {
    const key = `${url.protocol} ${proxy?.href ?? 'direct'}`;
    const known = ways.get(key) ?? openWay(proxies, url);
    ways.set(key, known);
    return known;
  };

  const exchangeOnce = async (request: WireRequest, signal: AbortSignal): Promise<WireAnswer> => {
    const proxy = proxyFor(request.url);
    const answer = await ask(await wayTo(request.url, proxy), request, signal);
    // Whatever a proxy says in place of a way to GitHub must not be taken for GitHub's word.
    if (proxy && answer.status === 407) throw new ProxyRefusal(proxy, answer.status);
    return answer;
  };

  return {
    async exchange(request, signal) {
      for (let at = request, redirects = 0; ; redirects++) {
        const answer = await exchangeOnce(at, signal);
        const next = onward(at, answer, redirects);
        if (!next) return answer;
        at = next;
      }
    },
    close() {
      for (const way of ways.values()) {
        way.then(
          ({ agent }) => agent.destroy(),
          () => {},
        );
      }
    },
  };
}

async function openWay(proxies: ProxySettings, url: URL): Promise<Way> {
  const agents = await openAgents(proxies, url, { keepAlive: true });
  if (url.protocol === 'http:') return { request: (await import('node:http')).request, agent: agents.http };
  return { request: (await import('node:https')).request, agent: agents.https };
}

/** @throws the signal's reason when it aborts before the whole answer is there */
async function ask(way: Way, request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
  const { response, bytes } = await sendAndReceive(way, request, signal);
  const packed = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  const body = packed ? await unpack(bytes) : bytes;
  return { status: response.statusCode ?? 0, headers: response.headers, body: body.toString() };
}

interface Received {
  readonly response: IncomingMessage;
  readonly bytes: Buffer;
}

function sendAndReceive({ request, agent }: Way, asked: WireRequest, signal: AbortSignal): Promise<Received> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const { url, method, body } = asked;
    const sent = request(url, { method, agent, headers: { 'accept-encoding': 'gzip', ...asked.headers } });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    };
    const onAbort = (): void => {
      // A request that still waits for its way through a proxy says nothing of its end.
      fail(signal.reason as Error);
      sent.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    sent.on('error', fail);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > LONGEST_BODY) sent.destroy(new Error(`the answer is longer than ${LONGEST_BODY} bytes`));
      });
      response.on('error', fail);
      response.on('end', () => {
        signal.removeEventListener('abort', onAbort);
        resolve({ response, bytes: Buffer.concat(chunks) });
      });
    });
    sent.end(body);
  });
}

async function unpack(bytes: Buffer): Promise<Buffer> {
  const { gunzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: LONGEST_BODY }, (error, unpacked) => (error ? reject(error) : resolve(unpacked)));
  });
}
