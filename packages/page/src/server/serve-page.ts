import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, cannotListen, parseListenAddress } from '@rungar/model';
import { type Asset, loadAssets } from '../assets.js';
import type { PageSource } from '../source.js';
import { isForThePage, isLoopback } from './address.js';
import { SECURITY_HEADERS } from './headers.js';
import { Live, type Looker } from './live.js';

/** How long a client may take to send its headers. */
const HEADERS_LIMIT_MS = 10_000;
/** How many may look at the same time. */
const MOST_LOOKERS = 100;
/** How far behind one of them may be before it is let go; its browser then comes back. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;

const SERVED = { what: 'the page', key: 'page.listen' };

/** Where the page is served, and from what. */
export interface PageOptions {
  /** `host:port`, `[::1]:port`, or `:port` for every address; port 0 is any that is free. */
  readonly listen: string;
  readonly source: PageSource;
  readonly clock: Clock;
}

/** A page that is served. */
export interface Page {
  /** Where it listens: the port is the one it got. */
  readonly address: string;
  /** What to open in a browser. */
  readonly url: string;
  /** Whether only this host can reach it. */
  readonly isPrivate: boolean;
  /** Stops serving, and ends what browsers still read. */
  close(): Promise<void>;
}

/**
 * Serves the page (docs/guides/page.md): its files, `/api/view` with all that it shows, and `/api/stream` with what
 * changes. It answers `GET` and `HEAD`, for hosts by which it can be meant, and changes nothing.
 * @throws RungarError `invalid_argument` when it cannot listen there
 */
export async function servePage({ listen, source, clock }: PageOptions): Promise<Page> {
  const { host, port } = parseListenAddress(listen, SERVED);
  const assets = await loadAssets();
  const live = new Live(source, clock);

  const server = createServer({ headersTimeout: HEADERS_LIMIT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const refusal = refusalOf(request, path, host);
    if (refusal) refuse(response, ...refusal);
    else if (path === '/api/view') sendView(response, live);
    else if (path === '/api/stream') stream(request, response, live);
    else sendAsset(response, assets.get(path));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(listen, SERVED, error)));
    server.listen({ port, ...(host !== '' && { host }) }, resolve);
  });
  return {
    ...whereabouts(server),
    isPrivate: isLoopback(host),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      live.end();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Refusal = readonly [status: number, reason: string];

/** Why a request is not answered, if so. */
function refusalOf({ headers, method }: IncomingMessage, path: string, host: string): Refusal | undefined {
  if (!isForThePage(headers.host, host)) return [421, 'this page has another name'];
  if (method !== 'GET' && method !== 'HEAD') return [405, 'only GET and HEAD are answered'];
  // The page asks by itself. Another site that makes a browser ask would learn nothing, and is not worked for.
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  return path.startsWith('/api/') && isForeign ? [403, 'only the page itself may ask'] : undefined;
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(`${reason}\n`);
}

function sendAsset(response: ServerResponse, asset: Asset | undefined): void {
  if (!asset) {
    refuse(response, 404, 'there is no such page');
    return;
  }
  response.writeHead(200, { 'content-type': asset.type, 'content-length': asset.body.length });
  response.end(asset.body);
}

function sendView(response: ServerResponse, live: Live): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(live.view())}\n`);
}

function stream(request: IncomingMessage, response: ServerResponse, live: Live): void {
  if (live.lookers >= MOST_LOOKERS) {
    refuse(response, 503, `${MOST_LOOKERS} look at it already`);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const looker: Looker = {
    send(message) {
      if (response.writableLength > MOST_UNSENT_BYTES) response.destroy();
      else response.write(message);
    },
    end() {
      response.end();
    },
  };
  response.on('close', () => live.leave(looker));
  live.join(looker);
}

function whereabouts(server: Server): { address: string; url: string } {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return { address: String(bound), url: String(bound) };
  const host = bound.address.includes(':') ? `[${bound.address}]` : bound.address;
  const isEvery = bound.address === '::' || bound.address === '0.0.0.0';
  return { address: `${host}:${bound.port}`, url: `http://${isEvery ? 'localhost' : host}:${bound.port}/` };
}
