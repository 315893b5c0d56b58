import { once } from 'node:events';
import { unlink, writeFile } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificate } from '@rungar/emulators';
import { startDicerEmulator } from '@rungar/emulators/dicer';
import type { OpenProvider, ProviderContext, Random } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SELECTOR } from '../../test/aws-builders.js';
import { someDicerRequest } from '../../test/dicer-builders.js';
import { type DicerWorld, settingsFor, startDicerWorld, type Way, writeTlsFiles } from '../../test/dicer-harness.js';
import { contextWith } from '../../test/ec2-harness.js';
import { recordingLogger } from '../testing/seen-text.js';
import type { DicerRunner, DicerSettings } from './settings.js';
import { openDicer } from './type.js';

const endings: (() => unknown)[] = [];
let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock();
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const options = () => ({ signal: new AbortController().signal });
const middling: Random = { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 };

async function startWorld(way: Way, more: Parameters<typeof startDicerWorld>[1] = {}): Promise<DicerWorld> {
  const world = await startDicerWorld(way, more);
  endings.push(() => world.close());
  return world;
}

async function open(settings: DicerSettings, more: Partial<ProviderContext> = {}): Promise<OpenProvider<DicerRunner>> {
  const provider = await openDicer(settings, { ...contextWith(clock), random: middling, ...more });
  endings.push(() => provider.close());
  return provider;
}

/** The error of a listing, or nothing. */
async function listed(
  provider: OpenProvider<DicerRunner>,
): Promise<(Error & { code?: string; hint?: string }) | undefined> {
  const { parts } = await provider.list(SELECTOR, options());
  return parts[0]?.error;
}

describe('an address', () => {
  test.each(['socket', 'tcp', 'tls'] as const)('is reached over %s, with one connection', async (way) => {
    const world = await startWorld(way);
    const provider = await open(world.settings);
    expect(world.dicer.stats().connections).toBe(0);
    expect(await listed(provider)).toBeUndefined();
    await Promise.all([1, 2, 3].map(() => listed(provider)));
    expect(world.dicer.stats().connections).toBe(1);
  });

  test('may have a name, and be written after dns:///', async () => {
    const { dicer } = await startWorld('tcp');
    const provider = await open(settingsFor(`dns:///localhost:${dicer.address.split(':')[1]}`));
    expect(await listed(provider)).toBeUndefined();
  });

  test('nobody listens at makes a provider all the same, which says so', async () => {
    const provider = await open(settingsFor('unix:///nowhere/dicer.sock'));
    expect(await listed(provider)).toMatchObject({
      code: 'unavailable',
      message: 'connect ENOENT /nowhere/dicer.sock',
      hint: expect.stringContaining('Start the Dicer daemon'),
    });
    const created = provider.create(someDicerRequest(), options());
    await expect(created).rejects.toMatchObject({ message: expect.not.stringContaining('outcome') });
  });

  test('of a daemon that speaks TLS is no use in the clear', async () => {
    const { dicer } = await startWorld('tls');
    expect(await listed(await open(settingsFor(dicer.address)))).toMatchObject({ code: 'unavailable' });
  });
});

describe('TLS', () => {
  test('needs a certificate from an authority that is known', async () => {
    const { settings, folder } = await startWorld('tls');
    await writeFile(join(folder, 'other.pem'), makeCertificate(['localhost', '127.0.0.1']).cert);
    const provider = await open({ ...settings, tls: { ...settings.tls, caFile: join(folder, 'other.pem') } });
    expect(await listed(provider)).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('tls.ca_file'),
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    const created = provider.create(someDicerRequest(), options());
    await expect(created).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test("needs the name of the address in the daemon's certificate, or that of server_name", async () => {
    const world = await startWorld('tls', { tls: { names: ['dicer.example.com'] } });
    const { settings } = world;
    expect(await listed(await open(settings))).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('tls.server_name'),
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    const named = (serverName: string) => open({ ...settings, tls: { ...settings.tls, serverName } });
    expect(await listed(await named('dicer.example.com'))).toBeUndefined();
    expect(await listed(await named('other.example.com'))).toMatchObject({ code: 'invalid_argument' });
    expect(await listed(await named('10.0.0.7'))).toMatchObject({ code: 'invalid_argument' });
  });

  test('needs a certificate of our own where the daemon asks for one', async () => {
    const { settings, folder } = await startWorld('tls');
    const caFile = join(folder, 'ca.pem');
    expect(await listed(await open({ ...settings, tls: { caFile } }))).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('Set tls.cert_file and tls.key_file'),
      cause: { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
    });
    const stranger = makeCertificate(['client']);
    await writeFile(join(folder, 'stranger.pem'), stranger.cert);
    await writeFile(join(folder, 'stranger.key'), stranger.key);
    const pair = { certFile: join(folder, 'stranger.pem'), keyFile: join(folder, 'stranger.key') };
    expect(await listed(await open({ ...settings, tls: { caFile, pair } }))).toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('may not trust the certificate'),
    });
  });

  test('is of version 1.3', async () => {
    const own = makeCertificate(['127.0.0.1']);
    const server = createTlsServer({ ...own, maxVersion: 'TLSv1.2', ALPNProtocols: ['h2'] });
    server.on('tlsClientError', () => {});
    const address = await listening(server);
    const { folder, settings } = await startWorld('tls');
    await writeFile(join(folder, 'old.pem'), own.cert);
    const provider = await open({ ...settingsFor(address), tls: { ...settings.tls, caFile: join(folder, 'old.pem') } });
    expect(await listed(provider)).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('TLS 1.3'),
    });
  });

  test('takes a renewed pair for the next connection, without a restart', async () => {
    const { dicer, settings, folder } = await startWorld('tls');
    const provider = await open(settings);
    expect(await listed(provider)).toBeUndefined();
    dicer.renewClient();
    await writeTlsFiles(dicer, folder);
    dicer.dropConnections();
    await vi.waitUntil(async () => (await listed(provider)) === undefined, { interval: 1 });
    expect(dicer.stats().connections).toBe(2);
    dicer.renewClient();
    await writeTlsFiles(dicer, folder);
    dicer.sendAway();
    await vi.waitUntil(async () => (await listed(provider)) === undefined && dicer.stats().connections === 3, {
      interval: 1,
    });
  });

  test('says at once, and at each connection, which file cannot be used', async () => {
    const { dicer, settings, folder } = await startWorld('tls');
    const provider = await open(settings);
    expect(await listed(provider)).toBeUndefined();
    await unlink(join(folder, 'client.key'));
    dicer.dropConnections();
    await vi.waitUntil(async () => (await listed(provider))?.code === 'invalid_argument', { interval: 1 });
    expect(await listed(provider)).toMatchObject({
      message: expect.stringContaining(`tls.key_file: ${join(folder, 'client.key')} cannot be read`),
      hint: expect.stringContaining('PEM'),
    });
    await expect(open(settings)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('reconnecting', () => {
  test('is at once after a connection is lost', async () => {
    const { dicer, settings } = await startWorld('tcp');
    const provider = await open(settings);
    expect(await listed(provider)).toBeUndefined();
    dicer.dropConnections();
    await vi.waitUntil(async () => (await listed(provider)) === undefined && dicer.stats().connections === 2, {
      interval: 1,
    });
  });

  test('lets calls in flight end when the daemon asks for another connection', async () => {
    const { dicer, settings } = await startWorld('tcp');
    const provider = await open(settings);
    dicer.fault({ operation: 'ListInstances', kind: 'slow', delayMs: 50 });
    const slow = listed(provider);
    await vi.waitUntil(() => dicer.stats().calls.ListInstances === 1, { interval: 1 });
    dicer.sendAway();
    await vi.waitUntil(async () => (await listed(provider)) === undefined && dicer.stats().connections === 2, {
      interval: 1,
    });
    expect(await slow).toBeUndefined();
  });

  test('waits after a failure: 1 s, then 1.6 times as long each time, 10 s at most; calls fail meanwhile', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts += 1;
      socket.resetAndDestroy();
    });
    const provider = await open(settingsFor(await listening(server)));
    expect(await listed(provider)).toMatchObject({ code: 'unavailable' });
    for (const [failures, pauseMs] of [1_000, 1_600, 2_560, 4_096, 6_553.6, 10_000, 10_000].entries()) {
      await clock.advance(pauseMs - 1);
      expect(await listed(provider)).toMatchObject({ code: 'unavailable' });
      expect(attempts).toBe(failures + 1);
      await clock.advance(1);
      await listed(provider);
      expect(attempts).toBe(failures + 2);
    }
  });

  test('begins anew with a pause of 1 s after a success, and spreads each by a fifth', async () => {
    const { dicer, settings } = await startWorld('tcp');
    const port = Number(dicer.address.split(':')[1]);
    const provider = await open(settings, { random: { ...middling, fraction: () => 1 } });
    expect(await listed(provider)).toBeUndefined();
    await dicer.close();
    await listed(provider);
    await listed(provider);
    const again = await startDicerEmulator({ port });
    endings.push(() => again.close());
    await clock.advance(1_199);
    expect(await listed(provider)).toMatchObject({ code: 'unavailable' });
    await clock.advance(1);
    expect(await listed(provider)).toBeUndefined();
  });

  test('gives a daemon 5 s to say its first words', async () => {
    const silent = createServer(() => {});
    const provider = await open(settingsFor(await listening(silent)));
    const waiting = listed(provider);
    await vi.waitUntil(() => clock.sleepers > 0, { interval: 1 });
    await clock.advance(4_999);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await clock.advance(0);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await waiting).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('did not take a connection in time'),
    });
  });
});

describe('a silent connection', () => {
  test('over TCP is pinged every 30 s', async () => {
    const { dicer, settings } = await startWorld('tcp');
    const provider = await open(settings);
    await listed(provider);
    await clock.advance(29_999);
    expect(dicer.stats().pings).toBe(0);
    await clock.advance(1);
    await vi.waitUntil(() => dicer.stats().pings === 1, { interval: 1 });
    await vi.waitUntil(() => clock.sleepers === 1, { interval: 1 });
    await clock.advance(10_000);
    expect(await listed(provider)).toBeUndefined();
    await clock.advance(29_999);
    expect(dicer.stats().pings).toBe(1);
    await clock.advance(1);
    await vi.waitUntil(() => dicer.stats().pings === 2, { interval: 1 });
    expect(dicer.stats().connections).toBe(1);
  });

  test('over a socket is never pinged', async () => {
    const { dicer, settings } = await startWorld('socket');
    const provider = await open(settings);
    await listed(provider);
    await clock.advance(600_000);
    expect(await listed(provider)).toBeUndefined();
    expect(dicer.stats()).toMatchObject({ pings: 0, connections: 1 });
  });

  test('is given up 10 s after a ping that nobody answers, and calls on it fail', async () => {
    const { dicer } = await startWorld('tcp');
    const wire = await startWire(dicer.address);
    const provider = await open(settingsFor(wire.address, { timeoutMs: 300_000 }));
    expect(await listed(provider)).toBeUndefined();
    wire.freeze();
    const stuck = listed(provider);
    await clock.advance(39_999);
    let isOver = false;
    void stuck.then(() => {
      isOver = true;
    });
    await clock.advance(0);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await stuck).toMatchObject({ code: 'unavailable', message: 'no answer to a ping within 10 s' });
    expect(await listed(provider)).toBeUndefined();
  });

  test('is pinged half as often for a daemon that finds it too much', async () => {
    const { logger, logged } = recordingLogger();
    const { dicer, settings } = await startWorld('tcp', { minPingIntervalMs: 3_600_000 });
    const provider = await open(settings, { logger });
    await listed(provider);
    for (let pings = 1; logged.length === 0; pings++) {
      await clock.advance(30_000);
      await vi.waitUntil(() => dicer.stats().pings === pings && clock.sleepers <= 1, { interval: 1 });
    }
    expect(logged[0]).toContain('pingAfterMs: 60000');
    expect(await listed(provider)).toBeUndefined();
    expect(dicer.stats().connections).toBe(2);
  });
});

test('a server that is no Dicer daemon is told from one', async () => {
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 404, 'content-type': 'text/plain' });
    stream.end('no such page');
  });
  const provider = await open(settingsFor(await listening(server)));
  expect(await listed(provider)).toMatchObject({ code: 'internal' });
  await provider.close();
});

async function listening(server: Pick<Server, 'listen' | 'address' | 'close'> & NodeJS.EventEmitter): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A wire to another address that can be cut silently: what was connected stays so, and nothing comes through. */
async function startWire(to: string): Promise<{ readonly address: string; freeze(): void }> {
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connect(Number(to.split(':')[1]), '127.0.0.1').on('error', () => {});
    near.pipe(far);
    far.pipe(near);
    pairs.push([near, far]);
    endings.push(() => far.destroy());
  });
  const address = await listening(server);
  return {
    address,
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe();
        far.unpipe();
        near.pause();
        far.pause();
      }
    },
  };
}
