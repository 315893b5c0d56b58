import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createSealedServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { makeCertificate } from '@rungar/emulators';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from './connections.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Answer = (response: ServerResponse) => void;

const never = new AbortController().signal;
const servers: Server[] = [];
let connections: Connections;
let seen: Seen[];
let origin: string;
let sockets: number;
let answers: Record<string, Answer>;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  [seen, answers, sockets] = [[], {}, 0];
  connections = openConnections({});
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      const answer = answers[url];
      if (answer) answer(response);
      else response.end('{"end":true}');
    });
  });
  server.on('connection', () => sockets++);
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  connections.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
const post = (path: string, signal = never) =>
  connections.exchange({ method: 'POST', url: new URL(path, origin), headers, body: '{"name":"ä"}' }, signal);
const get = (path: string) => connections.exchange({ method: 'GET', url: new URL(path, origin), headers }, never);
const sendTo =
  (status: number, location: string): Answer =>
  (response) =>
    response.writeHead(status, { location }).end('elsewhere');

test('a request goes as it is, with the length of its body, and requests in turn share a connection', async () => {
  await post('/a?b=%20c');
  const answer = await get('/d');
  expect(answer).toMatchObject({ status: 200, body: '{"end":true}' });
  expect(seen).toEqual([
    {
      method: 'POST',
      path: '/a?b=%20c',
      headers: expect.objectContaining({ ...headers, 'content-length': '13', host: new URL(origin).host }),
      body: '{"name":"ä"}',
    },
    { method: 'GET', path: '/d', headers: expect.objectContaining(headers), body: '' },
  ]);
  expect(sockets).toBe(1);
});

describe('an answer', () => {
  test('of whatever status is given, with its headers by lower-case name', async () => {
    answers['/no'] = (response) => response.writeHead(503, { 'Retry-After': '7', 'Set-Cookie': ['a', 'b'] }).end('no');
    expect(await post('/no')).toEqual({
      status: 503,
      headers: expect.objectContaining({ 'retry-after': '7', 'set-cookie': ['a', 'b'] }),
      body: 'no',
    });
  });

  test('may come packed, which is asked for', async () => {
    const words = 'ä word, and a word again; '.repeat(1_000);
    answers['/packed'] = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(words));
    answers['/nothing'] = (response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end();
    expect((await get('/packed')).body).toBe(words);
    expect((await get('/nothing')).body).toBe('');
    expect(seen[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('that is cut short is none', async () => {
    answers['/cut'] = (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"half":');
      setImmediate(() => response.destroy());
    };
    answers['/torn'] = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('words').subarray(0, -9));
    await expect(get('/cut')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(get('/torn')).rejects.toMatchObject({ code: 'Z_BUF_ERROR' });
  });
});

describe('a signal', () => {
  test('that has aborted sends nothing', async () => {
    await expect(post('/a', AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(seen).toEqual([]);
  });

  test.each(['before the answer', 'amid the answer'])(
    'that aborts %s ends the request and its connection',
    async (when) => {
      const abort = new AbortController();
      let closed: Promise<void> | undefined;
      answers['/slow'] = (response) => {
        closed = new Promise((resolve) => response.on('close', resolve));
        if (when === 'amid the answer') response.write('{"half":');
        setTimeout(() => abort.abort(new Error('enough')), 20);
      };
      await expect(post('/slow', abort.signal)).rejects.toThrow(/enough|aborted/);
      await closed;
    },
  );
});

describe('a redirect', () => {
  test.each([301, 302, 303])('of status %i is asked for with GET, and without the body', async (status) => {
    answers['/old'] = sendTo(status, '/new?x=1');
    expect(await post('/old')).toMatchObject({ status: 200, body: '{"end":true}' });
    expect(seen[1]).toMatchObject({ method: 'GET', path: '/new?x=1', body: '' });
    expect(seen[1]?.headers.authorization).toBe('Bearer secret');
    expect(seen[1]?.headers['content-type']).toBeUndefined();
  });

  test.each([307, 308])('of status %i is asked for as before', async (status) => {
    answers['/old'] = sendTo(status, `${origin}/new`);
    await post('/old');
    expect(seen[1]).toMatchObject({ method: 'POST', path: '/new', body: '{"name":"ä"}', headers });
  });

  test('to another host takes no credentials along', async () => {
    const elsewhere = await openOther();
    answers['/old'] = sendTo(307, `http://127.0.0.1:${elsewhere.port}/new`);
    await post('/old');
    expect(elsewhere.headers().authorization).toBeUndefined();
    expect(elsewhere.headers()['content-type']).toBe('application/json');
  });

  test('that never ends is given up after the tenth', async () => {
    answers['/round'] = sendTo(302, '/round');
    await expect(get('/round')).rejects.toMatchObject({ code: 'ERR_TOO_MANY_REDIRECTS' });
    expect(seen).toHaveLength(11);
  });

  test('that says not where to is an answer like any other, and one to no address an error', async () => {
    answers['/where'] = (response) => response.writeHead(302).end('?');
    answers['/nowhere'] = sendTo(302, 'http://[');
    expect(await get('/where')).toMatchObject({ status: 302, body: '?' });
    await expect(get('/nowhere')).rejects.toMatchObject({ code: 'ERR_INVALID_URL' });
  });
});

describe('an answer of more than 16 MiB', () => {
  const length = 16 * 1024 * 1024 + 1;

  test('is not read to its end', async () => {
    answers['/long'] = (response) => response.end(Buffer.alloc(length));
    await expect(get('/long')).rejects.toThrow(/longer than 16777216 bytes/);
  });

  test('is not unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(length));
    answers['/bomb'] = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    await expect(get('/bomb')).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
  });
});

test('a certificate nobody vouches for ends the request before it is sent', async () => {
  const { cert, key } = makeCertificate(['127.0.0.1']);
  let asked = 0;
  const port = await listen(createSealedServer({ cert, key }, (_, response) => response.end(String(++asked))));
  const sealed = { method: 'GET', url: new URL(`https://127.0.0.1:${port}/`), headers };
  await expect(connections.exchange(sealed, never)).rejects.toMatchObject({
    code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/),
  });
  expect(asked).toBe(0);
});

test('an address of another scheme is refused', async () => {
  const request = { method: 'GET', url: new URL('ftp://127.0.0.1/'), headers };
  await expect(connections.exchange(request, never)).rejects.toMatchObject({ code: 'ERR_INVALID_PROTOCOL' });
});

async function openOther(): Promise<{ port: number; headers(): IncomingHttpHeaders }> {
  let got: IncomingHttpHeaders = {};
  const port = await listen(
    createServer((request, response) => {
      got = request.headers;
      request.resume().on('end', () => response.end());
    }),
  );
  return { port, headers: () => got };
}
