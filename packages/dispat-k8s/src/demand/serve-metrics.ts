import { createServer } from 'node:http';
import { inputError } from '../problems.js';

/** A metrics server that listens. */
export interface MetricsServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `text()` at `/metrics`.
 * @param address `PORT` or `HOST:PORT`; without a host 127.0.0.1
 * @throws InputError when it cannot listen there
 */
export async function serveMetrics(address: string, text: () => string): Promise<MetricsServer> {
  const { host, port } = splitAddress(address);
  const server = createServer((request, response) => {
    const found = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(found ? text() : 'see /metrics\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(refused(address, error.message)));
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function splitAddress(address: string): { host: string; port: number } {
  const [, host = '127.0.0.1', digits = ''] = /^(?:(\[[0-9a-fA-F:.]+\]|[^:]+):)?([0-9]{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) throw refused(address, 'what is no address');
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

function refused(address: string, found: string): Error {
  return inputError({
    code: 'OPTION_INVALID',
    at: 'serve-metrics',
    found: `${address}: ${found}`,
    allowed: 'a free port, alone or as HOST:PORT',
    fix: 'write --serve-metrics 9464',
  });
}
