import { createServer as createPlainServer, get as getPlain, type Server } from 'node:http';
import { createServer, get as getSealed } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { makeCertificate, type ProxyEmulator, startProxyEmulator } from '@rungar/emulators';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Agents, openAgents } from './agents.js';
import { proxySettingsOf } from './proxies.js';
import { openTunnel } from './tunnel.js';

const CERTIFICATE = makeCertificate(['far.test']);
let sealed: Server;
let plain: Server;
let proxy: ProxyEmulator;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const signal = (): AbortSignal => new AbortController().signal;

beforeAll(async () => {
  sealed = createServer({ cert: CERTIFICATE.cert, key: CERTIFICATE.key }, (_, answer) => answer.end('sealed'));
  plain = createPlainServer((_, answer) => answer.end('plain'));
  await Promise.all([listening(sealed), listening(plain)]);
});
afterAll(() => {
  for (const server of [sealed, plain]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(async () => {
  proxy = await startProxyEmulator({ hosts: { 'far.test': portOf(sealed), 'plain.test': portOf(plain) } });
});
afterEach(() => proxy.close());

async function ask(
  url: string,
  env: Record<string, string>,
  verify?: Parameters<typeof openAgents>[3],
): Promise<string> {
  const agents = await openAgents(proxySettingsOf(env), new URL(url), { keepAlive: true }, verify);
  const isSealed = url.startsWith('https:');
  const options = isSealed ? { agent: agents.https, ca: CERTIFICATE.cert } : { agent: agents.http };
  try {
    return await new Promise<string>((resolve, reject) => {
      const asked = (isSealed ? getSealed : getPlain)(url, options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
      });
      asked.on('error', reject);
    });
  } finally {
    agents.http.destroy();
    agents.https.destroy();
  }
}

describe('agents', () => {
  test('reach a host over TLS through the proxy of https', async () => {
    expect(await ask('https://far.test/', { https_proxy: proxy.url })).toBe('200 sealed');
    expect(proxy.asked).toEqual(['CONNECT far.test:443']);
  });

  test('reach a host in the clear through the proxy of http', async () => {
    expect(await ask('http://plain.test/', { HTTP_PROXY: proxy.url })).toBe('200 plain');
    expect(proxy.asked).toEqual(['GET plain.test']);
  });

  describe('of a proxy that takes a connection and says nothing', () => {
    let silent: NetServer;
    let held: Set<Socket>;
    beforeEach(async () => {
      held = new Set();
      silent = createNetServer((socket) => {
        held.add(socket);
        socket.on('error', () => {}).on('close', () => held.delete(socket));
        socket.resume();
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => {
      vi.useRealTimers();
      for (const socket of held) socket.destroy();
      silent.close();
    });

    const askSilence = async (): Promise<{ agents: Agents; failed: Promise<Error> }> => {
      const { port } = silent.address() as AddressInfo;
      const env = { https_proxy: `http://127.0.0.1:${port}` };
      const agents = await openAgents(proxySettingsOf(env), new URL('https://far.test/'), { keepAlive: true });
      const failed = new Promise<Error>((resolve) => {
        getSealed('https://far.test/', { agent: agents.https }).on('error', resolve);
      });
      await vi.waitFor(() => expect(held.size).toBe(1), { interval: 5 });
      return { agents, failed };
    };

    test('give up after half a minute, and leave no connection', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const { agents, failed } = await askSilence();
      await vi.advanceTimersByTimeAsync(30_000);
      vi.useRealTimers();
      expect(await failed).toMatchObject({
        code: 'ERR_PROXY',
        message: expect.stringMatching(/made no way within 30 s$/),
      });
      await vi.waitFor(() => expect(held.size).toBe(0), { interval: 5 });
      agents.https.destroy();
    });

    test('leave no connection when they are destroyed', async () => {
      const { agents, failed } = await askSilence();
      agents.https.destroy();
      expect(await failed).toMatchObject({ message: 'the agent was destroyed' });
      await vi.waitFor(() => expect(held.size).toBe(0), { interval: 5 });
    });
  });

  test('go directly to loopback and to hosts of NO_PROXY', async () => {
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: '.invalid' };
    expect(await ask(`http://127.0.0.1:${portOf(plain)}/`, env)).toBe('200 plain');
    await expect(ask(`https://127.0.0.1:${portOf(sealed)}/`, env)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID', // it was reached, by a name that its certificate lacks
    });
    await expect(ask('https://far.invalid/', env)).rejects.toMatchObject({ code: expect.stringMatching(/^E(NOT|AI)/) });
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    [403, 'ERR_PROXY_REFUSED'],
    [407, 'ERR_PROXY_REFUSED'],
    [503, 'ERR_PROXY'],
  ])('take a refusal of the proxy with %i for no answer', async (status, code) => {
    proxy.refuse(status);
    await expect(ask('https://far.test/', { https_proxy: proxy.url })).rejects.toMatchObject({
      code,
      message: `the proxy ${new URL(proxy.url).host} answered ${status}`,
    });
  });

  test('leave the certificate to whoever wants to judge it, on either way', async () => {
    const seen: string[] = [];
    const judge = (answer?: Error) => (socket: { getPeerCertificate(): { fingerprint256?: string } }) => {
      seen.push(socket.getPeerCertificate().fingerprint256 ?? '');
      return answer;
    };
    const env = { https_proxy: proxy.url };
    expect(await ask('https://far.test/', env, judge())).toBe('200 sealed');
    expect(await ask(`https://127.0.0.1:${portOf(sealed)}/`, env, judge())).toBe('200 sealed');
    await expect(ask('https://far.test/', env, judge(new Error('not that one')))).rejects.toThrow('not that one');
    expect(seen).toEqual(Array.from({ length: 3 }, () => CERTIFICATE.fingerprint256));
  });
});

describe('a tunnel', () => {
  test('leads to the host, with the credentials of the proxy', async () => {
    const strict = await startProxyEmulator({ hosts: { 'plain.test': portOf(plain) }, credentials: 'user:p@ss' });
    const at = new URL(strict.url.replace('//', '//user:p%40ss@'));
    const socket = await openTunnel(at, 'plain.test', 80, signal());
    const text = await new Promise<string>((resolve) => {
      let all = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        all += part;
      });
      socket.once('close', () => resolve(all));
      socket.write('GET / HTTP/1.1\r\nhost: plain.test\r\nconnection: close\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*plain/);
    await expect(openTunnel(new URL(strict.url), 'plain.test', 80, signal())).rejects.toMatchObject({
      code: 'ERR_PROXY_REFUSED',
    });
    expect(strict.asked).toEqual(['CONNECT plain.test:80', 'CONNECT plain.test:80']);
    await strict.close();
  });

  test('is not waited for once nobody wants it', async () => {
    const gone = AbortSignal.abort(new Error('no longer wanted'));
    await expect(openTunnel(new URL(proxy.url), 'far.test', 443, gone)).rejects.toThrow('no longer wanted');
  });

  test('is told when the proxy cannot be reached', async () => {
    const closed = await startProxyEmulator({ hosts: {} });
    const { url } = closed;
    await closed.close();
    await expect(openTunnel(new URL(url), 'far.test', 443, signal())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
