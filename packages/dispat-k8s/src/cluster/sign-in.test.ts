import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import type { Clock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addSecrets } from '../../test/cluster-world.js';
import { FakeCluster, TOKEN } from '../../test/fake-cluster/fake-cluster.js';
import type { ClusterApi } from './api.js';
import { connectCluster } from './connect.js';

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', name: 'release' };

let folder: string;
let cluster: FakeCluster;
let servers: Server[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
  cluster = await FakeCluster.start();
  addSecrets(cluster);
  servers = [];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await cluster[Symbol.asyncDispose]();
  for (const server of servers) await new Promise<void>((resolve) => void server.close(() => resolve()));
  await rm(folder, { recursive: true });
});

/** The API of a kubeconfig with these, and what one read and one watch through it give. */
async function reached(inCluster: object, user: object) {
  const file = join(folder, 'config');
  const config = {
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: inCluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, JSON.stringify(config));
  const api = await connectCluster({ file, env: {}, clock: withoutPauses() }, stop.signal);
  const namespace = await api.read(NAMESPACE, stop.signal);
  return { namespace: namespace?.metadata.name, watched: await firstOfWatch(api) };
}

/** Time stands still, so that nothing is too late; between two tries none passes. */
function withoutPauses(): Clock {
  const clock = fakeClock();
  const sleep: Clock['sleep'] = (ms, signal) => (ms < 10_000 ? Promise.resolve() : clock.sleep(ms, signal));
  return { ...clock, sleep };
}

async function firstOfWatch(api: ClusterApi): Promise<string | undefined> {
  const query = { apiVersion: 'v1', kind: 'Pod', namespace: 'release', resourceVersion: '100' };
  for await (const { type } of api.watch(query, stop.signal)) return type;
  return undefined;
}

const REACHED = { namespace: 'release', watched: 'BOOKMARK' };

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Joins two sockets until either ends. */
function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

describe('signing in', () => {
  const open = () => ({ server: cluster.url, 'insecure-skip-tls-verify': true });

  function program(script: string) {
    return {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: ['-e', script],
        interactiveMode: 'Never',
      },
    };
  }

  test('with a program that prints a token', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: TOKEN },
    };
    expect(await reached(open(), program(`console.log(${JSON.stringify(JSON.stringify(credential))})`))).toEqual(
      REACHED,
    );
  });

  test('a program that fails is told as credentials that cannot be used', async () => {
    await expect(reached(open(), program('process.exit(3)'))).rejects.toThrow(
      /CLUSTER_FORBIDDEN http:\S+ found credentials that cannot be used/,
    );
    expect(cluster.calls).toEqual([]);
  });

  test('with a token in a file', async () => {
    await writeFile(join(folder, 'token'), TOKEN);
    expect(await reached(open(), { tokenFile: join(folder, 'token') })).toEqual(REACHED);
  });

  test('through the proxy that the kubeconfig names', async () => {
    const seen: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url = '' }, socket: Socket) => {
      seen.push(url);
      const up = connect(cluster.port, '127.0.0.1');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      joinSockets(socket, up);
    });
    const port = await listen(proxy);
    const through = { ...open(), 'proxy-url': `http://127.0.0.1:${port}` };
    expect(await reached(through, { token: TOKEN })).toEqual(REACHED);
    expect(new Set(seen)).toEqual(new Set([`127.0.0.1:${cluster.port}`]));
  });

  test('no password of an address is shown', async () => {
    const server = cluster.url.replace('//', '//someone:hunter2@');
    await cluster[Symbol.asyncDispose]();
    const failure = await reached({ server, 'insecure-skip-tls-verify': true }, {}).catch(String);
    expect(failure).toMatch(/CLUSTER_FAILED http:\/\/127.0.0.1:\d+: found no answer/);
    expect(failure).not.toContain('hunter2');
    cluster = await FakeCluster.start();
  });
});

describe('TLS', () => {
  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  beforeEach(({ skip }) => skip(!hasOpenssl, 'there is no openssl on this machine'));

  /** A key and a certificate of its own, as base64 of PEM. */
  async function certificate(name: string): Promise<{ cert: string; key: string }> {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...names, '-keyout', key, '-out', cert]);
    return { cert: await readFile(cert, 'base64'), key: await readFile(key, 'base64') };
  }

  const pem = (base64: string): Buffer => Buffer.from(base64, 'base64');

  test('with a certificate for the user, and one that the server is known by', async () => {
    const [own, mine] = [await certificate('server'), await certificate('me')];
    cluster.isOpen = true;
    const port = await listen(
      createTlsServer({ cert: pem(own.cert), key: pem(own.key), ca: pem(mine.cert), requestCert: true }, (socket) =>
        joinSockets(socket, connect(cluster.port, '127.0.0.1')),
      ),
    );
    const server = `https://127.0.0.1:${port}`;
    const known = { server, 'certificate-authority-data': own.cert };
    const user = { 'client-certificate-data': mine.cert, 'client-key-data': mine.key };
    expect(await reached(known, user)).toEqual(REACHED);
    expect(await reached({ server, 'insecure-skip-tls-verify': true }, user)).toEqual(REACHED);
    await expect(reached(known, {})).rejects.toThrow(/CLUSTER_FAILED https:\S+ found no answer/);
    await expect(reached({ server }, user)).rejects.toThrow(/CLUSTER_FAILED .*self-signed certificate/);
  });
});
