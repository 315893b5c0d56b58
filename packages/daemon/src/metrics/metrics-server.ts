import { createServer, type Server, type ServerResponse } from 'node:http';
import { type Clock, cannotListen, limitTime, parseListenAddress } from '@rungar/model';
import type { Prometheus } from './prometheus.js';

/** How long a client may take to send its headers. */
const HEADERS_LIMIT_MS = 10_000;

/** How long scrapes in flight are waited for at the end. */
const LAST_SCRAPES_LIMIT_MS = 5_000;

const SERVED = { what: 'metrics', key: 'metrics.listen' };

export interface MetricsServerOptions {
  /** `host:port`, `[::1]:port`, or `:port` for every address. */
  readonly listen: string;
  readonly metrics: Pick<Prometheus, 'contentType' | 'exposition'>;
  /** Why the daemon is not ready to serve, if so. */
  readonly notReady: () => string | undefined;
  readonly clock: Clock;
}

export interface MetricsServer {
  /** Where it listens: the port is the one it got. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, and `/healthz` and `/readyz` for probes, over plain HTTP. Anything else is 404.
 * @throws RungarError `invalid_argument` when it cannot listen there
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { listen, metrics, notReady, clock } = options;
  const server = createServer({ headersTimeout: HEADERS_LIMIT_MS }, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'only GET is answered');
    switch (path) {
      case '/metrics':
        void metrics.exposition().then(
          (text) => answer(response, 200, text, metrics.contentType),
          () => answer(response, 500, 'the metrics could not be read'),
        );
        return;
      case '/healthz':
        return answer(response, 200, 'ok');
      case '/readyz': {
        const reason = notReady();
        return answer(response, reason === undefined ? 200 : 503, reason ?? 'ok');
      }
      default:
        return answer(response, 404, 'there is only /metrics, /healthz and /readyz');
    }
  });
  await startListening(server, listen);
  return {
    address: addressOf(server),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      using limit = limitTime(clock, LAST_SCRAPES_LIMIT_MS, () => new Error('time is up'));
      limit.signal.addEventListener('abort', () => server.closeAllConnections());
      await closed;
    },
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}

function startListening(server: Server, listen: string): Promise<void> {
  const { host, port } = parseListenAddress(listen, SERVED);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(listen, SERVED, error)));
    server.listen({ port, ...(host !== '' && { host }) }, resolve);
  });
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return String(address);
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
