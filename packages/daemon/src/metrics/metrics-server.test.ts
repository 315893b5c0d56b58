import { createServer } from 'node:http';
import { connect } from 'node:net';
import { systemClock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/eventually.js';
import { type MetricsServerOptions, serveMetrics } from './metrics-server.js';

async function open(more: Partial<MetricsServerOptions> = {}) {
  const server = await serveMetrics({
    listen: '127.0.0.1:0',
    metrics: { contentType: 'text/plain; version=0.0.4', exposition: async () => 'up 1\n' },
    notReady: () => undefined,
    clock: systemClock,
    ...more,
  });
  onTestFinished(() => server.close());
  const get = (path: string, init?: RequestInit) => fetch(`http://${server.address}${path}`, init);
  return { server, get };
}

test('serves the metrics in their own format', async () => {
  const { get } = await open();
  const response = await get('/metrics?x=1');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(await response.text()).toBe('up 1\n');
});

test('answers nothing else', async () => {
  const { get } = await open();
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics/x')).status).toBe(404);
  expect((await get('/metrics', { method: 'POST' })).status).toBe(405);
});

test('says whether the daemon lives, and whether it is ready and why not', async () => {
  let reason: string | undefined = 'birch-s is starting';
  const { get } = await open({ notReady: () => reason });
  expect((await get('/healthz')).status).toBe(200);
  const waiting = await get('/readyz');
  expect([waiting.status, await waiting.text()]).toEqual([503, 'birch-s is starting\n']);
  reason = undefined;
  expect((await get('/readyz')).status).toBe(200);
});

test('says that metrics could not be read rather than nothing', async () => {
  const exposition = () => Promise.reject(new Error('broken'));
  const { get } = await open({ metrics: { contentType: 'text/plain', exposition } });
  expect((await get('/metrics')).status).toBe(500);
});

test.each(['localhost', '127.0.0.1:99999', '::1:9102', ''])('refuses to listen on %j', async (listen) => {
  await expect(open({ listen })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('host:port'),
  });
});

test('names the address that is taken, and the key to change', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const listen = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await expect(open({ listen })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(listen),
    hint: expect.stringContaining('metrics.listen'),
  });
});

test('waits five seconds for a scrape in flight at the end, and no longer', async () => {
  const clock = fakeClock();
  let scraped = (): void => {};
  const begun = new Promise<void>((resolve) => (scraped = resolve));
  const exposition = () => {
    scraped();
    return new Promise<string>(() => {});
  };
  const { server } = await open({ clock, metrics: { contentType: 'text/plain', exposition } });
  const [host = '', port = ''] = server.address.split(':');
  const socket = connect({ host, port: Number(port) });
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket
    .resume()
    .on('error', () => {})
    .write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
  await begun;
  const closed = server.close();
  await eventually(() => expect(clock.sleepers).toBe(1));
  await clock.advance(4_999);
  expect(socket.destroyed).toBe(false);
  await clock.advance(1);
  await Promise.all([gone, closed]);
});
