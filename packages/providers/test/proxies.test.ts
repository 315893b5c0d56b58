import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate, type ProxyEmulator, type ProxyEmulatorOptions, startProxyEmulator } from '@rungar/emulators';
import { type MachineListing, type OpenProvider, type ProviderContext, systemClock } from '@rungar/model';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openAws } from '../src/aws/provider.js';
import { openProxmox } from '../src/proxmox/provider.js';
import type { ProxmoxSettings } from '../src/proxmox/settings.js';
import { SELECTOR, someRequest as someAwsRequest } from './aws-builders.js';
import { settingsFor, startDicerWorld, type Way } from './dicer-harness.js';
import { contextWith, startEc2World } from './ec2-harness.js';
import { startGceWorld, WARM_UP_MS, warmUp } from './gce-harness.js';
import { someRequest as someGcpRequest } from './gcp-builders.js';
import { someContext, startPveWorld } from './pve-harness.js';

// Backends have hosts here that only a proxy can find: loopback itself is always reached directly.

beforeAll(warmUp, WARM_UP_MS);

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of endings.splice(0).reverse()) await end();
});

async function startProxy(options: ProxyEmulatorOptions): Promise<ProxyEmulator> {
  const proxy = await startProxyEmulator(options);
  endings.push(() => proxy.close());
  return proxy;
}

const portOf = (url: string): number => Number(new URL(url).port);
/** The same address with another host. */
const at = (host: string, url: string): string => url.replace('127.0.0.1', host);

async function listAndClose(opening: Promise<OpenProvider<never>>): Promise<MachineListing> {
  const provider = await opening;
  try {
    return await provider.list(SELECTOR, { signal: new AbortController().signal });
  } finally {
    await provider.close();
  }
}
const unending = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });
const errorOf = ({ parts }: MachineListing): (Error & { code?: string }) | undefined => parts[0]?.error;

describe('proxmox', () => {
  async function start(): Promise<{
    url: string;
    proxy: ProxyEmulator;
    world: Awaited<ReturnType<typeof startPveWorld>>;
  }> {
    const world = await startPveWorld();
    endings.push(() => world.close());
    const proxy = await startProxy({ hosts: { 'pve.test': portOf(world.emulator.url) } });
    return { world, proxy, url: at('pve.test', world.emulator.url) };
  }
  const list = (settings: ProxmoxSettings, environment: ProviderContext['environment']): Promise<MachineListing> =>
    listAndClose(openProxmox(settings, { ...someContext(), ...(environment && { environment }) }));

  test('goes through the proxy, with the certificate it is to find pinned or not looked at', async () => {
    const { world, proxy, url } = await start();
    for (const tls of [world.settings.tls, { insecureSkipVerify: true }]) {
      expect((await list({ ...world.settings, url, tls }, { https_proxy: proxy.url })).parts).toHaveLength(3);
    }
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT pve.test:${portOf(url)}`]));
  });

  test('sends nothing through it to another certificate, nor to a proxy that refuses', async () => {
    const { world, proxy, url } = await start();
    const tls = { fingerprint: 'AB'.repeat(32), insecureSkipVerify: false };
    await expect(list({ ...world.settings, url, tls }, { https_proxy: proxy.url })).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('tls.fingerprint'),
    });
    proxy.refuse(403);
    await expect(list({ ...world.settings, url }, { https_proxy: proxy.url })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`the proxy ${new URL(proxy.url).host} answered 403`),
    });
    expect(world.emulator.requests).toEqual([]);
  });

  test('goes directly to loopback and where NO_PROXY says so', async () => {
    const { world, proxy, url } = await start();
    await list(world.settings, { HTTPS_PROXY: proxy.url });
    await expect(list({ ...world.settings, url }, { HTTPS_PROXY: proxy.url, no_proxy: '.test' })).rejects.toMatchObject(
      {
        code: 'unavailable',
      },
    );
    expect(proxy.asked).toEqual([]);
  });

  test('does not open with what is no proxy', async () => {
    const { world } = await start();
    await expect(list(world.settings, { HTTPS_PROXY: 'socks5://user:word@host:1' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'HTTPS_PROXY is not the address of an HTTP proxy',
    });
  });
});

/** Has Node trust this certificate from now on as it trusts the authorities it knows. */
function trust(cert: string): void {
  // Node itself makes what a connection trusts with this module's function, as only CommonJS can replace it.
  const tls = createRequire(import.meta.url)('node:tls') as typeof import('node:tls');
  const createSecureContext = tls.createSecureContext.bind(tls);
  const spy = vi
    .spyOn(tls, 'createSecureContext')
    .mockImplementation((options) => createSecureContext({ ...options, ca: [cert] }));
  endings.push(async () => void spy.mockRestore());
}

describe('aws', () => {
  test('goes through the proxy of its scheme', async () => {
    const world = await startEc2World();
    endings.push(() => world.close());
    const proxy = await startProxy({ hosts: { 'ec2.test': portOf(world.emulator.url) } });
    const environment = { http_proxy: proxy.url, HTTPS_PROXY: proxy.url };
    const endpointUrl = at('ec2.test', world.emulator.url);
    expect(errorOf(await listAndClose(world.open({ endpointUrl }, { environment })))).toBeUndefined();
    expect(new Set(proxy.asked)).toEqual(new Set([`POST ec2.test:${portOf(endpointUrl)}`]));

    proxy.refuse(407);
    const refused = await listAndClose(world.open({ endpointUrl: 'https://ec2.test' }, { environment }));
    expect(errorOf(refused)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`the proxy ${new URL(proxy.url).host} answered 407`),
    });
    expect(proxy.asked.at(-1)).toBe('CONNECT ec2.test:443');
  });

  test('asks AWS where no endpoint is configured, wherever the environment points the SDK', async () => {
    const world = await startEc2World();
    endings.push(() => world.close());
    const proxy = await startProxy({ hosts: {} });
    proxy.refuse(403);
    vi.stubEnv('AWS_ENDPOINT_URL', world.emulator.url);
    vi.stubEnv('AWS_ENDPOINT_URL_EC2', world.emulator.url);
    const { endpointUrl: _, ...settings } = world.settings;
    const listed = await listAndClose(
      openAws(settings, { ...contextWith(systemClock), environment: { https_proxy: proxy.url } }),
    );
    expect(errorOf(listed)).toMatchObject({ code: 'unavailable' });
    expect(world.emulator.requests).toEqual([]);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ec2.${settings.region}.amazonaws.com:443`]));
  });

  test('over TLS makes, lists and deletes through a tunnel, once it trusts who answers', async () => {
    const certificate = makeCertificate(['ec2.test']);
    const world = await startEc2World({ tls: certificate });
    endings.push(() => world.close());
    const proxy = await startProxy({ hosts: { 'ec2.test': portOf(world.emulator.url) }, credentials: 'ci:secret' });
    const environment = { https_proxy: proxy.url.replace('//', '//ci:secret@') };
    const endpointUrl = at('ec2.test', world.emulator.url);
    const stranger = errorOf(await listAndClose(world.open({ endpointUrl }, { environment })));
    expect(stranger).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('self-signed'),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(world.emulator.requests).toEqual([]);

    trust(certificate.cert);
    const provider = await world.open({ endpointUrl }, { environment });
    endings.push(() => provider.close());
    const machine = await provider.create(someAwsRequest('linux-1ff1015a', world.spec), unending());
    const { parts } = await provider.list(SELECTOR, unending());
    expect(parts).toMatchObject([{ machines: [{ name: 'linux-1ff1015a', id: machine.id }] }]);
    expect(await provider.delete(machine, SELECTOR, unending())).toBe('deleted');
    expect(proxy.asked).toEqual(proxy.asked.map(() => `CONNECT ec2.test:${portOf(endpointUrl)}`));
  });
});

describe('gcp', () => {
  async function writeKey(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'rungar-gcp-'));
    endings.push(() => rm(folder, { recursive: true }));
    const credentialsFile = join(folder, 'key.json');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = {
      type: 'service_account',
      project_id: 'my-ci-project',
      client_email: 'runners@my-ci-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: 'https://oauth2.googleapis.com/token',
    };
    await writeFile(credentialsFile, JSON.stringify(key), { mode: 0o600 });
    return credentialsFile;
  }

  /** Gives everybody the one token. */
  async function startTokenServer(certificate: { cert: string; key: string }, access_token: string): Promise<number> {
    const server = createServer(certificate, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token, expires_in: 3600, token_type: 'Bearer' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    });
    return (server.address() as AddressInfo).port;
  }

  test('goes through the proxy of its scheme, and so do its questions for a token', async () => {
    const world = await startGceWorld();
    endings.push(() => world.close());
    const credentialsFile = await writeKey();
    const proxy = await startProxy({ hosts: { 'gce.test': portOf(world.emulator.url) } });
    const environment = { http_proxy: proxy.url, https_proxy: proxy.url };
    const endpointUrl = at('gce.test', world.emulator.url);
    expect(errorOf(await listAndClose(world.open({ endpointUrl }, { environment })))).toBeUndefined();
    expect(new Set(proxy.asked)).toEqual(new Set([`GET gce.test:${portOf(endpointUrl)}`]));

    proxy.refuse(403);
    const listing = await listAndClose(
      world.open({ endpointUrl: 'https://gce.test', credentialsFile, timeoutMs: 5_000 }, { environment }),
    );
    expect(errorOf(listing)?.message).toContain(`the proxy ${new URL(proxy.url).host} answered 403`);
    expect(proxy.asked.at(-1)).toBe('CONNECT oauth2.googleapis.com:443');
  });

  test('over TLS gets its token, makes, lists and deletes through tunnels, once it trusts who answers', async () => {
    const certificate = makeCertificate(['gce.test', 'oauth2.googleapis.com']);
    const token = 'a-token-of-the-service-account';
    const world = await startGceWorld({ tls: certificate, accessTokens: [token] });
    endings.push(() => world.close());
    const hosts = {
      'gce.test': portOf(world.emulator.url),
      'oauth2.googleapis.com': await startTokenServer(certificate, token),
    };
    const proxy = await startProxy({ hosts });
    const environment = { HTTPS_PROXY: proxy.url };
    const settings = { endpointUrl: at('gce.test', world.emulator.url), credentialsFile: await writeKey() };
    const stranger = errorOf(await listAndClose(world.open(settings, { environment })));
    expect(stranger).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('self-signed'),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(world.emulator.requests).toEqual([]);

    trust(certificate.cert);
    const provider = await world.open(settings, { environment });
    endings.push(() => provider.close());
    const machine = await provider.create(someGcpRequest('linux-1ff1015a'), unending());
    const { parts } = await provider.list(SELECTOR, unending());
    expect(parts.flatMap(({ machines }) => machines)).toMatchObject([{ name: 'linux-1ff1015a', id: machine.id }]);
    expect(await provider.delete(machine, SELECTOR, unending())).toBe('deleted');
    expect(new Set(proxy.asked)).toEqual(
      new Set(['CONNECT oauth2.googleapis.com:443', `CONNECT gce.test:${hosts['gce.test']}`]),
    );
  });
});

describe('dicer', () => {
  async function list(way: Way, host: string, proxyWith: number | undefined): Promise<[MachineListing, ProxyEmulator]> {
    const world = await startDicerWorld(way);
    endings.push(() => world.close());
    const { target } = world.settings;
    const port = target.kind === 'tcp' ? target.port : 0;
    const proxy = await startProxy({ hosts: { 'dicer.test': port } });
    proxy.refuse(proxyWith);
    const { tls } = world.settings;
    const settings = {
      ...(target.kind === 'tcp' ? settingsFor(`${host}:${port}`) : world.settings),
      ...(tls && { tls: { ...tls, serverName: '127.0.0.1' } }),
    };
    const environment = { https_proxy: proxy.url };
    return [await listAndClose(world.open(settings, { environment })), proxy];
  }

  test.each(['tcp', 'tls'] as const)('over %s goes through the proxy', async (way) => {
    const [listing, proxy] = await list(way, 'dicer.test', undefined);
    expect(errorOf(listing)).toBeUndefined();
    expect(proxy.asked).toEqual([expect.stringMatching(/^CONNECT dicer\.test:\d+$/)]);
  });

  test('says so when the proxy refuses', async () => {
    const [listing, proxy] = await list('tls', 'dicer.test', 403);
    expect(errorOf(listing)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`the proxy ${new URL(proxy.url).host} answered 403`),
    });
  });

  test.each(['tcp', 'socket'] as const)('over %s on this host goes directly', async (way) => {
    const [listing, proxy] = await list(way, '127.0.0.1', undefined);
    expect(errorOf(listing)).toBeUndefined();
    expect(proxy.asked).toEqual([]);
  });
});
