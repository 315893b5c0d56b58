import { describe, expect, test } from 'vitest';
import { addSecrets, clusterWorld, passUntilDone, until } from '../../test/cluster-world.js';
import { Refusal } from '../../test/fake-cluster/objects.js';
import { readNamespace } from './read-namespace.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'release' };

function configMap(name: string, labels: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'release', labels } };
}

describe('the cluster through the client library', () => {
  test('reads a list page by page, and all at once when its place is forgotten on the way', async () => {
    await using world = await clusterWorld();
    for (let index = 0; index < 501; index++) world.cluster.add(configMap(`c${index}`));
    const { items } = await world.api.list(CONFIG_MAPS, world.stop.signal);
    expect(items).toHaveLength(501);
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    const calls = world.cluster.callsOf('GET', /configmaps$/);
    expect(calls.map(({ query }) => query.get('continue'))).toEqual([null, '500']);

    world.cluster.calls.length = 0;
    world.cluster.answerNext(new Refusal(410, 'Expired', 'the provided continue parameter is too old'));
    expect((await world.api.list(CONFIG_MAPS, world.stop.signal)).items).toHaveLength(501);
    expect(world.cluster.callsOf('GET', /configmaps$/).map(({ query }) => query.get('limit'))).toEqual(['500', null]);
  });

  test('asks the cluster for a kind it does not know, once', async () => {
    await using world = await clusterWorld();
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'release', name: 'a' };
    world.cluster.add({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'release' } });
    expect(await world.api.read(widget, world.stop.signal)).toMatchObject({ kind: 'Widget' });
    expect(await world.api.read({ ...widget, name: 'b' }, world.stop.signal)).toBeUndefined();
    expect(world.cluster.callsOf('GET', /^\/apis\/example.com\/v1$/)).toHaveLength(1);
    const unknown = { apiVersion: 'example.com/v1', kind: 'Gadget', namespace: 'release', name: 'a' };
    expect(await world.api.read(unknown, world.stop.signal)).toBeUndefined();
    await expect(world.api.list(unknown, world.stop.signal)).rejects.toThrow(/no kind example.com\/v1\/Gadget/);
  });

  test('repeats what failed by accident, twice, and then gives up', async () => {
    await using world = await clusterWorld();
    const busy = () => new Refusal(503, 'ServiceUnavailable', 'the server is overloaded');
    world.cluster.answerNext(busy(), busy());
    const reading = world.api.list(CONFIG_MAPS, world.stop.signal);
    await passUntilDone(world, reading);
    expect((await reading).items).toEqual([]);
    world.cluster.answerNext(busy(), busy(), busy());
    const failing = world.api.list(CONFIG_MAPS, world.stop.signal);
    await passUntilDone(world, failing);
    await expect(failing).rejects.toThrow(
      /CLUSTER_FAILED release\/configmaps: found the server is overloaded \(status 503, on list\)/,
    );
  });

  test('a cluster that is not there is told with its address', async () => {
    const world = await clusterWorld();
    const { api, cluster } = world;
    const { url } = cluster;
    await cluster[Symbol.asyncDispose]();
    const signal = new AbortController().signal;
    await expect(api.list(CONFIG_MAPS, signal)).rejects.toThrow(
      new RegExp(`CLUSTER_FAILED ${url}: found no answer: .*ECONNREFUSED`),
    );
  });

  test('a cut in the middle of an answer is tried again', async () => {
    await using world = await clusterWorld();
    world.cluster.add(configMap('a'));
    const reading = world.api.list(CONFIG_MAPS, world.stop.signal);
    await until('the call', () => world.cluster.calls.length > 0);
    world.cluster.cutConnections();
    await passUntilDone(world, reading);
    expect((await reading).items).toHaveLength(1);
  });

  test('an answer that never begins ends after thirty seconds', async () => {
    await using world = await clusterWorld();
    world.cluster.silent = true;
    const reading = world.api.list(CONFIG_MAPS, world.stop.signal);
    await passUntilDone(world, reading);
    await expect(reading).rejects.toThrow(/it took too long/);
  });

  test('reads the names of the keys of a Secret and nothing more', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    expect(await world.api.secretKeys('release', 'dispat-execution', world.stop.signal)).toEqual(['secret']);
    expect(await world.api.secretKeys('release', 'none', world.stop.signal)).toBeUndefined();
  });

  test('deletes only the very object that was meant', async () => {
    await using world = await clusterWorld();
    world.cluster.add(configMap('a'));
    const ref = { ...CONFIG_MAPS, name: 'a' };
    const gone = { propagation: 'Background', uid: 'uid-of-another' } as const;
    expect(await world.api.remove(ref, gone, world.stop.signal)).toBe(false);
    expect(await world.api.remove(ref, { propagation: 'Background' }, world.stop.signal)).toBe(true);
    expect(await world.api.remove(ref, { propagation: 'Background' }, world.stop.signal)).toBe(false);
  });

  test('an update of an object that has changed since is refused', async () => {
    await using world = await clusterWorld();
    world.cluster.add(configMap('a'));
    const read = await world.api.read({ ...CONFIG_MAPS, name: 'a' }, world.stop.signal);
    if (!read) throw new Error('no object');
    expect(await world.api.update({ ...read, data: { x: '1' } }, world.stop.signal)).toBe(true);
    expect(await world.api.update({ ...read, data: { x: '2' } }, world.stop.signal)).toBe(false);
  });

  test('credentials that are not accepted say so', async () => {
    await using world = await clusterWorld();
    world.cluster.answerNext(new Refusal(401, 'Unauthorized', 'Unauthorized'));
    await expect(world.api.list(CONFIG_MAPS, world.stop.signal)).rejects.toThrow(/CLUSTER_FORBIDDEN .*credentials/);
  });

  test('a stopped call ends with the reason it was stopped for', async () => {
    await using world = await clusterWorld();
    world.cluster.silent = true;
    const reading = world.api.list(CONFIG_MAPS, world.stop.signal);
    await until('the call', () => world.cluster.calls.length > 0);
    world.stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('reading a namespace', () => {
  test('gives what a check looks at, without what has an owner, and says what it could not read', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    world.cluster.add(configMap('a'));
    const owned = {
      ...configMap('b').metadata,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' }],
    };
    world.cluster.add({ ...configMap('b'), metadata: owned });
    world.cluster.deny('list', 'horizontalpodautoscalers');
    const { objects, skipped } = await readNamespace(world.api, 'release', world.stop.signal);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Namespace release',
      'ConfigMap a',
    ]);
    expect(skipped).toContainEqual({ kind: 'HorizontalPodAutoscaler', why: 'no right to list them' });
    expect(skipped).toContainEqual({ kind: 'CiliumNetworkPolicy', why: 'not in this cluster' });
    expect(world.cluster.callsOf('GET', /secrets/)).toEqual([]);
  });
});
