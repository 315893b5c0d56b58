import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import type { ClusterApi } from '../src/cluster/api.js';
import { connectCluster } from '../src/cluster/connect.js';
import type { ClusterDeps } from '../src/cluster/pool-view.js';
import { secretsOf } from '../src/cluster/secrets.js';
import type { PoolTarget } from '../src/cluster/workloads.js';
import { generate } from '../src/generate/generate.js';
import type { PoolInput } from '../src/options/table.js';
import { FakeCluster } from './fake-cluster/fake-cluster.js';

/** A fake cluster, reached through the real client library with a kubeconfig of its own. */
export interface ClusterWorld extends AsyncDisposable {
  readonly cluster: FakeCluster;
  readonly api: ClusterApi;
  readonly clock: FakeClock;
  readonly stop: AbortController;
  readonly deps: ClusterDeps;
  /** The kubeconfig's path. */
  readonly kubeconfig: string;
}

export async function clusterWorld(): Promise<ClusterWorld> {
  const cluster = await FakeCluster.start();
  const folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, cluster.kubeconfig);
  const clock = fakeClock();
  const stop = new AbortController();
  const api = await connectCluster({ file: kubeconfig, env: {}, clock }, stop.signal);
  return {
    cluster,
    api,
    clock,
    stop,
    deps: { api, clock, signal: stop.signal },
    kubeconfig,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export const POOL: PoolInput = {
  endpoint: 'git@github.com:acme/release-mailbox.git',
  image: 'registry.example.com/release/worker:1',
  egress: ['192.0.2.0/24:22'],
};

export const TARGET: PoolTarget = { namespace: 'release', name: 'dispat-workers', variation: 'job' };

/** What `apply` is asked for, for these options. */
export function request(input: PoolInput = {}) {
  const { objects, options } = generate({ ...POOL, ...input });
  return { objects, namespace: options.namespace, secrets: secretsOf(options) };
}

/** The namespace and the two Secrets that pods of {@link POOL} mount. */
export function addSecrets(cluster: FakeCluster): void {
  cluster.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'release' } });
  addSecret(cluster, 'dispat-execution', { secret: 'aHVzaA==' });
  addSecret(cluster, 'mailbox-deploy-key', { id_ed25519: 'a2V5' });
}

export function addSecret(cluster: FakeCluster, name: string, data: Record<string, string>): void {
  cluster.add({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'release' }, data });
}

/** Resolves once it holds; what is looked at changes by real requests on the loopback. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    if (turn > 20_000) throw new Error(`never came: ${what}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Lets time pass, a little at a time, until the work ends. */
export async function passUntilDone({ clock }: Pick<ClusterWorld, 'clock'>, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    await clock.advance(100);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
