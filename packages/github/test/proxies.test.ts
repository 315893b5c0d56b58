import { request as ask, createServer as createPlainServer, type Server } from 'node:http';
import { createServer as createSealedServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { makeCertificate } from '@rungar/emulators';
import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { Secret } from '@rungar/model';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { failureOf, proxySettingsOf } from '../src/index.js';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';

interface Proxy {
  readonly address: string;
  /** What it was asked for, with the credentials it was given. */
  readonly asked: string[];
  /** Where tunnels lead, whatever was asked for. */
  tunnelTo: number;
  refuseWith?: number | 'silence';
}

let github: GitHubEmulator;
let proxy: Proxy;
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const server = createPlainServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '');
    asked.push(`${incoming.method} ${url.host}`);
    const { port } = new URL(github.url);
    const { 'proxy-connection': _, ...headers } = incoming.headers;
    const onward = ask(
      { host: '127.0.0.1', port, method: incoming.method, path: url.pathname + url.search, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (state.refuseWith === 'silence') return void socket.on('end', () => socket.destroy()).resume();
    if (state.refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${state.refuseWith} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(state.tunnelTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => {});
  });
  const port = await listen(server);
  const state: Proxy = { address: `http://127.0.0.1:${port}`, asked, tunnelTo: 0 };
  return state;
}

async function startSelfSigned(): Promise<number> {
  const { cert, key } = makeCertificate(['ghes.test']);
  return listen(createSealedServer({ cert, key }, (_, response) => response.end('{}')));
}

beforeEach(async () => {
  github = await startGitHubEmulator();
  proxy = await startProxy();
});
afterEach(async () => {
  await github.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

const clientThrough = (url: string, env: Record<string, string>, clock = quickClock()) =>
  clientOf(url, {
    credentials: { kind: 'token', token: new Secret(github.createToken()) },
    proxies: proxySettingsOf(env),
    clock,
  });

describe('a proxy', () => {
  test('is asked for hosts elsewhere, and left out for loopback', async () => {
    const client = clientThrough('http://ghes.test/acme', { http_proxy: proxy.address });
    expect(await client.findRunner('a', call)).toBeUndefined();
    // The Actions service of the emulator is on loopback.
    expect(new Set(proxy.asked)).toEqual(new Set(['POST ghes.test']));
    expect(github.counts.get('find-agent')).toBe(1);
    await client.close();
  });

  test('is left out for hosts in NO_PROXY', async () => {
    const client = clientThrough('http://ghes.invalid/acme', { HTTP_PROXY: proxy.address, NO_PROXY: '.invalid' });
    await expect(client.findRunner('a', call)).rejects.toMatchObject({ code: 'unavailable' });
    expect(proxy.asked).toEqual([]);
    await client.close();
  });

  test('is given its credentials, and only passes what is sealed on', async () => {
    proxy.tunnelTo = await startSelfSigned();
    const client = clientThrough('https://ghes.test/acme', {
      HTTPS_PROXY: proxy.address.replace('//', '//user:proxypassword@'),
    });
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    const basic = Buffer.from('user:proxypassword').toString('base64');
    expect(proxy.asked).toEqual([`CONNECT ghes.test:443 Basic ${basic}`]);
    // A certificate nobody signed is not repeated, and its cure is named.
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    await client.close();
  });

  test.each([403, 407])("that answers %i is not taken for GitHub's refusal", async (status) => {
    proxy.refuseWith = status;
    const client = clientThrough('https://ghes.test/acme', { https_proxy: proxy.address });
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`the proxy ${new URL(proxy.address).host} answered ${status}`),
      hint: expect.stringContaining('HTTPS_PROXY'),
    });
    expect(failureOf(error)).toMatchObject({ transient: true });
    expect(client.refusalOf(error)).toBe('no_answer');
    expect(proxy.asked).toEqual(['CONNECT ghes.test:443']);
    await client.close();
  });

  test('that takes a connection and says nothing holds no call for longer than its limit', async () => {
    proxy.refuseWith = 'silence';
    const clock = quickClock();
    const stop = new AbortController();
    const client = clientThrough('https://ghes.test/acme', { https_proxy: proxy.address }, clock);
    const abandoned = client.findRunner('a', { signal: stop.signal });
    await vi.waitFor(() => expect(proxy.asked).toHaveLength(1), { interval: 5 });
    stop.abort(new Error('enough'));
    await expect(abandoned).rejects.toThrow('enough');
    const late = client.findRunner('a', call).catch((caught: unknown) => caught);
    clock.expire();
    expect(failureOf(await late)).toMatchObject({ transient: true });
    // What others share has ended too: the next call asks anew.
    proxy.refuseWith = 403;
    await vi.waitFor(() => expect(client.findRunner('a', call)).rejects.toThrow(/answered 403/), { interval: 5 });
    expect(proxy.asked).toHaveLength(2);
    await client.close();
  });

  test('that cannot be one is refused before anything is sent, without showing its password', () => {
    const attempt = (): unknown => clientThrough('https://ghes.test/acme', { HTTPS_PROXY: 'socks5://u:secret@p:1' });
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(attempt).not.toThrow(/secret/);
  });
});
