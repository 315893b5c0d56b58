import { describe, expect, test } from 'vitest';
import { addSecrets, type ClusterWorld, clusterWorld, request, until } from '../../test/cluster-world.js';
import { Refusal } from '../../test/fake-cluster/objects.js';
import type { WatchEvent } from './api.js';
import { apply } from './apply.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'release' };
const LOG = { namespace: 'release', container: 'worker', follow: true };

function configMap(name: string, more: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'release' }, ...more };
}

/** Everything that an iteration gave, and how it ends. */
function gathered<T>(source: AsyncIterable<T>) {
  const items: T[] = [];
  const end = (async () => {
    for await (const item of source) items.push(item);
  })();
  end.catch(() => {});
  return { items, end };
}

async function watching(world: ClusterWorld) {
  const { resourceVersion } = await world.api.list(CONFIG_MAPS, world.stop.signal);
  const watch = gathered<WatchEvent>(world.api.watch({ ...CONFIG_MAPS, resourceVersion }, world.stop.signal));
  await until('the watch', () => watch.items.length === 1);
  return watch;
}

async function withRunningPod(): Promise<{ world: ClusterWorld; pod: string }> {
  const world = await clusterWorld();
  addSecrets(world.cluster);
  await apply(request({ count: 1 }), world.deps);
  world.cluster.run('dispat-workers', 0);
  return { world, pod: world.cluster.pod('dispat-workers', 0).metadata.name };
}

describe('documents', () => {
  test('what the client library does not know of an object is sent and read all the same', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'release', futureField: 'a' },
      spec: { completions: 1, futureField: { b: 1 }, template: { spec: { containers: [], futureField: 2 } } },
    };
    const { object, created } = await world.api.apply(job, {}, world.stop.signal);
    expect(created).toBe(true);
    const [call] = world.cluster.callsOf('PATCH', /\/apis\/batch\/v1\/namespaces\/release\/jobs\/j$/);
    expect(call?.contentType).toBe('application/apply-patch+yaml');
    expect(Object.fromEntries(call?.query ?? [])).toEqual({ fieldManager: 'dispat-worker-manifest', force: 'false' });
    expect(JSON.parse(call?.body ?? '')).toEqual(job);
    expect(object).toMatchObject({ spec: job.spec });
    expect(typeof object.metadata.creationTimestamp).toBe('string');
  });

  test('times keep their microseconds when an object is read and written back', async () => {
    await using world = await clusterWorld();
    const renewTime = '2027-01-04T09:00:00.123456Z';
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'release', name: 'l' };
    const { apiVersion, kind } = ref;
    world.cluster.add({ apiVersion, kind, metadata: { name: 'l', namespace: 'release' }, spec: { renewTime } });
    const lease = await world.api.read(ref, world.stop.signal);
    if (!lease) throw new Error('no lease');
    expect(await world.api.update(lease, world.stop.signal)).toBe(true);
    expect(JSON.parse(world.cluster.callsOf('PUT', /leases\/l$/)[0]?.body ?? '')).toMatchObject({
      spec: { renewTime },
    });
  });
});

describe('a watch', () => {
  test('tells changes and bookmarks, and ends quietly when the server ends it', async () => {
    await using world = await clusterWorld();
    const { items, end } = await watching(world);
    world.cluster.add(configMap('a', { data: { x: '1' } }));
    world.cluster.add(configMap('a', { data: { x: '2' } }));
    await until('both changes', () => items.length === 3);
    expect(items.map(({ type }) => type)).toEqual(['BOOKMARK', 'ADDED', 'MODIFIED']);
    expect(items[2]).toMatchObject({ object: { data: { x: '2' } } });
    world.cluster.endWatches();
    await end;
    const [call] = world.cluster.calls.filter(({ query }) => query.has('watch'));
    expect(Object.fromEntries(call?.query ?? [])).toMatchObject({ allowWatchBookmarks: 'true', timeoutSeconds: '25' });
  });

  test('a place that is too old is told, in the stream or in place of it', async () => {
    await using world = await clusterWorld();
    const { items, end } = await watching(world);
    world.cluster.endWatches('gone');
    await end;
    expect(items.at(-1)).toMatchObject({ type: 'ERROR', status: 410 });
    world.cluster.store.compact();
    const refused = gathered(world.api.watch({ ...CONFIG_MAPS, resourceVersion: '1' }, world.stop.signal));
    await refused.end;
    expect(refused.items).toEqual([expect.objectContaining({ type: 'ERROR', status: 410 })]);
  });

  test('a refusal is told with the right that is missing', async () => {
    await using world = await clusterWorld();
    world.cluster.deny('watch', 'configmaps');
    const { end } = gathered(world.api.watch({ ...CONFIG_MAPS, resourceVersion: '1' }, world.stop.signal));
    await expect(end).rejects.toThrow(/CLUSTER_FORBIDDEN release\/configmaps: found no right to watch configmaps/);
  });

  test('a connection that is cut ends it', async () => {
    await using world = await clusterWorld();
    const { end } = await watching(world);
    world.cluster.cutConnections();
    await expect(end).rejects.toThrow(/CLUSTER_FAILED http:\S+ found no answer/);
  });

  test('a server that says nothing more, not even that it ended, is given up after forty seconds', async () => {
    await using world = await clusterWorld();
    const { end } = await watching(world);
    await world.clock.advance(39_000);
    expect(world.cluster.openStreams.watches).toBe(1);
    await world.clock.advance(1_000);
    await expect(end).rejects.toThrow(/CLUSTER_FAILED .*it took too long/);
    await until('it is closed', () => world.cluster.openStreams.watches === 0);
  });

  test('ends with the loop over it, and with its signal', async () => {
    await using world = await clusterWorld();
    const { resourceVersion } = await world.api.list(CONFIG_MAPS, world.stop.signal);
    for await (const _ of world.api.watch({ ...CONFIG_MAPS, resourceVersion }, world.stop.signal)) break;
    await until('it is closed', () => world.cluster.openStreams.watches === 0);
    const { end } = await watching(world);
    world.stop.abort(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
    await until('it is closed', () => world.cluster.openStreams.watches === 0);
  });
});

describe('a log', () => {
  test('comes as it is written, and ends when the container does', async () => {
    const { world, pod } = await withRunningPod();
    await using _ = world;
    const { items, end } = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await until('the log', () => world.cluster.openStreams.logs === 1);
    world.cluster.log('dispat-workers', 0, 'one');
    await until('a line', () => items.length === 1);
    world.cluster.log('dispat-workers', 0, 'zwei: ü');
    world.cluster.end('dispat-workers', 0, 0);
    await end;
    expect(items.map(({ text }) => text)).toEqual(['one', 'zwei: ü']);
    expect(items[0]?.at).toMatch(/^2027-01-04T09:\d\d:\d\dZ$/);
  });

  test('a connection that is cut is no end', async () => {
    const { world, pod } = await withRunningPod();
    await using _ = world;
    const { end } = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await until('the log', () => world.cluster.openStreams.logs === 1);
    world.cluster.log('dispat-workers', 0, 'one');
    world.cluster.cutConnections();
    await expect(end).rejects.toThrow(/CLUSTER_FAILED/);
  });

  test('of a container that has not begun is empty; one that may not be read is told', async () => {
    const { world, pod } = await withRunningPod();
    await using _ = world;
    world.cluster.answerNext(new Refusal(400, 'BadRequest', 'container "worker" is waiting to start'));
    const early = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await early.end;
    expect(early.items).toEqual([]);
    world.cluster.deny('get', 'pods/log');
    const { end } = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await expect(end).rejects.toThrow(/CLUSTER_FORBIDDEN release\/pods\/log\/\S+ found no right to get pods\/log/);
  });

  test('of a container that says nothing yet ends with its signal, and so does its connection', async () => {
    const { world, pod } = await withRunningPod();
    await using _ = world;
    world.cluster.cutConnections();
    await until('the calls before are over', () => world.cluster.connections === 0);
    world.cluster.silent = true;
    const { end } = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await until('the call', () => world.cluster.callsOf('GET', /\/log$/).length === 1);
    world.stop.abort(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
    await until('it is closed', () => world.cluster.connections === 0);
  });

  test('on which nothing more comes is given up after five minutes', async () => {
    const { world, pod } = await withRunningPod();
    await using _ = world;
    const { items, end } = gathered(world.api.logs({ ...LOG, pod }, world.stop.signal));
    await until('the log', () => world.cluster.openStreams.logs === 1);
    world.cluster.log('dispat-workers', 0, 'one');
    await until('a line', () => items.length === 1);
    await world.clock.advance(299_000);
    expect(world.cluster.openStreams.logs).toBe(1);
    await world.clock.advance(1_000);
    await expect(end).rejects.toThrow(/CLUSTER_FAILED .*it took too long/);
    await until('it is closed', () => world.cluster.openStreams.logs === 0);
  });
});
