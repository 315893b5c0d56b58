import { describe, expect, test } from 'vitest';
import { addSecrets, clusterWorld, POOL, passUntilDone, request, TARGET } from '../../test/cluster-world.js';
import { apply } from './apply.js';
import { type AskMailbox, remove } from './remove.js';

const NAME = 'dispat-workers';
const ENDPOINT = String(POOL.endpoint);

describe('deleting a pool', () => {
  test('A80: refuses while pods run; by force it deletes, and the namespace and Secrets are still there', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2 }), world.deps);
    world.cluster.run(NAME, 1);
    await expect(remove({ target: TARGET }, world.deps)).rejects.toThrow(
      /POOL_IN_USE .*1 running pod and 1 starting pod;/,
    );
    expect(world.cluster.callsOf('DELETE', /./)).toEqual([]);

    const { removed } = await remove({ target: TARGET, force: true }, world.deps);
    expect(removed.map(({ kind, name }) => `${kind} ${name}`)).toEqual([`Job ${NAME}`, `NetworkPolicy ${NAME}`]);
    const [deletion] = world.cluster.callsOf('DELETE', /jobs/);
    expect(JSON.parse(deletion?.body ?? '')).toMatchObject({ propagationPolicy: 'Background' });
    expect(world.cluster.list('Pod')).toEqual([]);
    expect(world.cluster.list('Namespace')).toHaveLength(1);
    expect(world.cluster.list('Secret')).toHaveLength(2);
  });

  test('pods that still start are what a preflight waits for, unless they are going or their Job has ended', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2 }), world.deps);
    world.cluster.end(NAME, 0, 0);
    await expect(remove({ target: TARGET }, world.deps)).rejects.toThrow(/POOL_IN_USE .*: found 1 starting pod;/);
    const starting = world.cluster.list('Pod').find(({ status }) => isPending(status));
    if (starting === undefined) throw new Error('no starting pod');
    world.cluster.add({ ...starting, metadata: { ...starting.metadata, deletionTimestamp: '2026-08-20T10:00:00Z' } });
    expect((await remove({ target: TARGET, dryRun: true }, world.deps)).removed).toHaveLength(2);
    world.cluster.add(starting);
    await expect(remove({ target: TARGET, dryRun: true }, world.deps)).rejects.toThrow(/POOL_IN_USE/);
    world.cluster.finish(NAME, 'Failed');
    expect((await remove({ target: TARGET }, world.deps)).removed).toHaveLength(2);
  });

  test('of several workloads each is asked about again just before it goes', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const platform = ['linux/amd64=1', 'linux/arm64=1'];
    const pools = request({ platform, variation: 'statefulset' });
    await apply(pools, world.deps);
    const [first, second] = world.cluster.list('StatefulSet').map(({ metadata }) => metadata.name);
    const asked: (readonly string[])[] = [];
    const ask: AskMailbox = async (nodes) => {
      asked.push(nodes);
      return asked.length > 1 ? [`a waiting probe of ${nodes.join()}`] : [];
    };
    const target = { ...TARGET, variation: 'statefulset', platformNames: [first ?? '', second ?? ''] } as const;
    await expect(remove({ target, idle: { endpoint: ENDPOINT, ask } }, world.deps)).rejects.toThrow(
      /in the mailbox a waiting probe/,
    );
    expect(asked[0]).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]?.slice(1));
    expect(world.cluster.list('StatefulSet').map(({ metadata }) => metadata.name)).toEqual([second]);
  });

  test('idle: running pods are deleted only when their own mailbox has nothing for them', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2 }), world.deps);
    world.cluster.run(NAME, 0);
    const asked: (readonly string[])[] = [];
    const says =
      (...busy: string[]): AskMailbox =>
      async (nodes) => {
        asked.push(nodes);
        return busy;
      };
    const busy = { endpoint: ENDPOINT, ask: says('a running build of w-0') };
    await expect(remove({ target: TARGET, idle: busy }, world.deps)).rejects.toThrow(
      /in the mailbox a running build of w-0/,
    );
    const other = { endpoint: 'git@github.com:acme/other.git', ask: says() };
    await expect(remove({ target: TARGET, idle: other }, world.deps)).rejects.toThrow(
      /not the mailbox of dispat-workers/,
    );
    const idle = { endpoint: ENDPOINT, ask: says() };
    expect((await remove({ target: TARGET, idle }, world.deps)).removed).toHaveLength(2);
    expect(asked).toEqual([
      ['w-0', 'w-1'],
      ['w-0', 'w-1'],
    ]);
  });

  test('deletes what carries our label alone, and of one run alone when it is named', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ runId: 'r1' }), world.deps);
    await apply(request({ runId: 'r2' }), world.deps);
    const mine = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'release' } };
    world.cluster.add({ ...mine, metadata: { ...mine.metadata, labels: { 'dispat.dev/pool': NAME } } });
    await remove({ target: { ...TARGET, runId: 'r1' }, force: true }, world.deps);
    expect(world.cluster.list('Job').map(({ metadata }) => metadata.name)).toEqual([`${NAME}-r2`]);
    expect(world.cluster.list('ConfigMap')).toHaveLength(1);
  });

  test('leaves a Job that this program did not make, and says so', async () => {
    await using world = await clusterWorld();
    world.cluster.add({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: NAME, namespace: 'release' },
      spec: {},
    });
    const { removed, kept } = await remove({ target: TARGET, force: true }, world.deps);
    expect(removed).toEqual([]);
    expect(kept[0]).toEqual({ object: `Job ${NAME}`, why: "it does not carry this program's labels" });
    expect(world.cluster.list('Job')).toHaveLength(1);
  });

  test('a StatefulSet is brought to rest first, its claims stay unless they are to be purged', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2, variation: 'statefulset' }), world.deps);
    const labels = world.cluster.list('Pod')[0]?.metadata.labels ?? {};
    world.cluster.add({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'state-0', namespace: 'release', labels },
    });
    const target = { ...TARGET, variation: 'statefulset' } as const;
    const { removed, kept } = await remove({ target, force: true }, world.deps);
    expect(removed.map(({ kind }) => kind)).toEqual(['StatefulSet', 'NetworkPolicy']);
    expect(kept).toContainEqual({ object: `the claims of ${NAME}`, why: expect.stringContaining('--purge-claims') });
    const writes = world.cluster.calls.filter(({ method }) => method === 'PATCH' || method === 'DELETE').slice(-3);
    expect(writes.map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`)).toEqual([
      `PATCH ${NAME}/scale`,
      `DELETE statefulsets/${NAME}`,
      `DELETE networkpolicies/${NAME}`,
    ]);
    expect(world.cluster.list('PersistentVolumeClaim')).toHaveLength(1);

    await apply(request({ count: 2, variation: 'statefulset' }), world.deps);
    await remove({ target, force: true, purgeClaims: true }, world.deps);
    expect(world.cluster.list('PersistentVolumeClaim')).toEqual([]);
  });

  test('a StatefulSet whose pods do not end in time is not deleted', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 1, variation: 'statefulset' }), world.deps);
    const set = world.cluster.get('StatefulSet', 'release', NAME);
    const [pod] = world.cluster.list('Pod');
    if (!set || !pod) throw new Error('no pool');
    // A pod that no controller removes, as one in its grace period.
    world.cluster.add({ ...pod, metadata: { ...pod.metadata, name: 'leaving', ownerReferences: [] } });
    const target = { ...TARGET, variation: 'statefulset' } as const;
    const removing = remove({ target, force: true, limitMs: 4_000 }, world.deps);
    await passUntilDone(world, removing);
    await expect(removing).rejects.toThrow(/1 pod left after 4 seconds/);
    expect(world.cluster.get('StatefulSet', 'release', NAME)).toBeDefined();
  });

  test('a missing right to companions leaves them, and says so', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    world.cluster.deny('list', 'networkpolicies');
    const { removed, kept } = await remove({ target: TARGET, force: true }, world.deps);
    expect(removed.map(({ kind }) => kind)).toEqual(['Job']);
    expect(kept).toContainEqual({ object: 'NetworkPolicy objects', why: 'no right to list or delete them' });
  });

  test('a dry run deletes nothing', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    const { removed } = await remove({ target: TARGET, force: true, dryRun: true }, world.deps);
    expect(removed).toHaveLength(2);
    expect(world.cluster.list('Job')).toHaveLength(1);
    expect(world.cluster.list('NetworkPolicy')).toHaveLength(1);
  });
});

function isPending(status: unknown): boolean {
  return typeof status === 'object' && status !== null && 'phase' in status && status.phase === 'Pending';
}
