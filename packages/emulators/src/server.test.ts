import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call } from '../test/raw-client.js';
import { type ManualClock, manualClock } from './clock.js';
import { type EmulatorServer, json, Refused, type Route, startServer } from './server.js';

const NOON = Date.UTC(2026, 10, 30, 12);
let clock: ManualClock;
let server: EmulatorServer;
let carriedOut: string[];

const routes: Route[] = [
  {
    operation: 'get-thing',
    method: 'GET',
    path: '/things/:name',
    query: ['depth'],
    headers: ['x-known'],
    handle({ params, query }) {
      carriedOut.push(params.name ?? '');
      return json(200, { name: params.name, depth: query.get('depth') });
    },
  },
  { operation: 'echo', method: 'POST', path: '/echo', takesBody: true, handle: ({ body }) => json(200, { body }) },
  {
    operation: 'hold',
    method: 'GET',
    path: '/hold',
    handle: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 204 }), { once: true })),
  },
  {
    operation: 'refuse',
    method: 'GET',
    path: '/refuse',
    handle() {
      throw new Refused(json(418, { message: 'no' }));
    },
  },
  {
    operation: 'break',
    method: 'GET',
    path: '/break',
    handle() {
      throw new Error('a flaw');
    },
  },
];

beforeEach(async () => {
  carriedOut = [];
  clock = manualClock(NOON);
  server = await startServer({ routes, clock, maxBodyBytes: 100, logLength: 3 });
});
afterEach(() => server.close());

test('answers what a route says, dated by the emulated clock', async () => {
  const answer = await call(`${server.url}/things/a%20b?depth=2`, { headers: { 'x-known': '1' } });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ name: 'a b', depth: '2' });
  expect(answer.headers.get('date')).toBe('Mon, 30 Nov 2026 12:00:00 GMT');
});

test.each([
  ['an unknown path', '/nothing', {}, 404, 'there is no GET /nothing'],
  ['an unknown method', '/things/a', { method: 'DELETE' }, 405, '/things/a takes GET, not DELETE'],
  ['an unknown query parameter', '/things/a?width=1', {}, 400, 'the query parameter width is not read here'],
  ['a query parameter given twice', '/things/a?depth=1&depth=2', {}, 400, 'the query parameter depth is given twice'],
  ['an unknown header', '/things/a', { headers: { 'x-odd': '1' } }, 400, 'the header x-odd is not read here'],
  ['a body that is too large', '/echo', { method: 'POST', body: 'x'.repeat(101) }, 413, 'the body is too large'],
  ['a segment that is badly encoded', '/things/%zz', {}, 404, 'there is no GET /things/%zz'],
])('refuses %s', async (_, path, options, status, message) => {
  const answer = await call(`${server.url}${path}`, options);
  expect(answer.status).toBe(status);
  expect(answer.json.message).toBe(message);
});

test('refuses a body on a call that reads none', async () => {
  const sent = request(`${server.url}/things/a`, { method: 'GET', headers: { 'content-length': '2' } });
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(400);
  expect(carriedOut).toEqual([]);
});

test('a body of exactly the largest size is taken', async () => {
  expect((await call(`${server.url}/echo`, { method: 'POST', body: 'x'.repeat(100) })).status).toBe(200);
});

test('a refusal of a handler is an answer, any other error is a flaw that can be asked for', async () => {
  expect((await call(`${server.url}/refuse`)).status).toBe(418);
  expect(server.failures).toEqual([]);
  expect((await call(`${server.url}/break`)).status).toBe(500);
  expect(server.failures.map(({ message }) => message)).toEqual(['a flaw']);
});

test('logs the last calls and counts all of them', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await call(`${server.url}/things/${name}`);
  expect(server.requests.map(({ path, status }) => [path, status])).toEqual([
    ['/things/b', 200],
    ['/things/c', 200],
    ['/things/d', 200],
  ]);
  expect(server.counts.get('get-thing')).toBe(4);
});

test('a status fault answers instead of the call', async () => {
  server.faults.add({
    operation: 'get-thing',
    kind: 'status',
    status: 429,
    retryAfter: 7,
    body: '{"message":"slow down"}',
  });
  const answer = await call(`${server.url}/things/a`);
  expect([answer.status, answer.headers.get('retry-after'), answer.json.message]).toEqual([429, '7', 'slow down']);
  expect(carriedOut).toEqual([]);
  expect((await call(`${server.url}/things/a`)).status).toBe(200);
});

test.each([
  ['text', 500, 'text/plain', 'something went wrong'],
  ['html', 502, 'text/html', '502 Bad Gateway'],
] as const)('a %s fault answers with something that is no JSON', async (kind, status, type, text) => {
  server.faults.add({ operation: 'get-thing', kind });
  const answer = await call(`${server.url}/things/a`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
  expect(answer.text).toContain(text);
});

test.each([
  ['reset', []],
  ['lost', ['a']],
] as const)('a %s fault breaks the connection', async (kind, done) => {
  server.faults.add({ operation: 'get-thing', kind });
  await expect(call(`${server.url}/things/a`)).rejects.toThrow();
  expect(carriedOut).toEqual(done);
});

test('an empty fault drops the body and keeps the status', async () => {
  server.faults.add({ operation: 'get-thing', kind: 'empty' });
  const answer = await call(`${server.url}/things/a`);
  expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0']);
  expect(carriedOut).toEqual(['a']);
});

test('a bom fault puts a byte order mark before the body', async () => {
  server.faults.add({ operation: 'get-thing', kind: 'bom' });
  const bytes = Buffer.from(await (await fetch(`${server.url}/things/a`)).arrayBuffer());
  expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, '{'.charCodeAt(0)]);
});

test('a slow fault carries the call out when its time has come', async () => {
  server.faults.add({ operation: 'get-thing', kind: 'slow', delayMs: 5000 });
  const answer = call(`${server.url}/things/a`);
  await expect.poll(() => clock.waiting).toBe(1);
  expect(carriedOut).toEqual([]);
  clock.advance(5000);
  expect((await answer).status).toBe(200);
});

test('a hanging call ends with the server', async () => {
  server.faults.add({ operation: 'get-thing', kind: 'hang' });
  const answer = call(`${server.url}/things/a`).catch((error: unknown) => error);
  await expect.poll(() => server.counts.get('get-thing')).toBe(1);
  await server.close();
  expect(await answer).toBeInstanceOf(Error);
});

test('closing ends calls that are held and lets nobody in', async () => {
  const held = call(`${server.url}/hold`).catch((error: unknown) => error);
  await expect.poll(() => server.counts.get('hold')).toBe(1);
  await server.close();
  expect(await held).toBeInstanceOf(Error);
  await expect(call(`${server.url}/things/a`)).rejects.toThrow();
});
