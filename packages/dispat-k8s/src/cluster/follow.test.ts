import { describe, expect, test } from 'vitest';
import {
  addSecrets,
  type ClusterWorld,
  clusterWorld,
  passUntilDone,
  request,
  TARGET,
  until,
} from '../../test/cluster-world.js';
import { apply } from './apply.js';
import { type FollowEvent, follow } from './follow.js';
import { followText } from './report/wait-text.js';
import type { PoolTarget } from './workloads.js';

const NAME = 'dispat-workers';

function started(world: ClusterWorld, target: PoolTarget = TARGET) {
  const events: FollowEvent[] = [];
  const result = follow(target, world.deps, (event) => events.push(event));
  result.catch(() => {});
  const lines = (): string[] => events.map(followText).flatMap((text) => text.trimEnd().split('\n'));
  return { result, events, lines };
}

describe('following a pool', () => {
  test('tells states and log lines, each begun with the name of its node, until the Job ends', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2 }), world.deps);
    const { result, lines } = started(world);
    await until('the states', () => lines().includes('w-1 | -- pending'));
    for (const index of [0, 1]) world.cluster.run(NAME, index);
    await until('the logs', () => world.cluster.openStreams.logs === 2);
    world.cluster.log(NAME, 1, 'building core');
    await until('the line', () => lines().includes('w-1 | building core'));
    world.cluster.log(NAME, 0, 'idle for 900 s');
    for (const index of [0, 1]) world.cluster.end(NAME, index, 0);
    world.cluster.finish(NAME, 'Complete');
    await passUntilDone(world, result);
    expect(await result).toMatchObject({ outcome: 'complete' });
    expect(lines()).toContain('w-0 | idle for 900 s');
    expect(lines().slice(-1)).toEqual(['dispat-workers is complete (CompletionsReached).']);
    expect(lines().filter((line) => line === 'w-1 | building core')).toHaveLength(1);
  });

  test('a cut connection loses no line and repeats none', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 1 }), world.deps);
    const { result, lines } = started(world);
    await until('the state', () => lines().length > 0);
    world.cluster.run(NAME, 0);
    await until('the log', () => world.cluster.openStreams.logs === 1);
    for (const line of ['one', 'two']) world.cluster.log(NAME, 0, line);
    await until('two lines', () => lines().includes('w-0 | two'));
    world.cluster.cutConnections();
    await until('they are cut', () => world.cluster.openStreams.logs === 0);
    world.cluster.log(NAME, 0, 'three');
    world.cluster.end(NAME, 0, 0);
    world.cluster.finish(NAME, 'Failed');
    await passUntilDone(world, result);
    expect((await result).outcome).toBe('failed');
    expect(lines().filter((line) => /one|two|three/.test(line))).toEqual(['w-0 | one', 'w-0 | two', 'w-0 | three']);
  });

  test('without the right to read logs it tells states alone, and says so once', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2 }), world.deps);
    world.cluster.deny('get', 'pods/log');
    const { result, events } = started(world);
    for (const index of [0, 1]) world.cluster.run(NAME, index);
    await until('both run', () => JSON.stringify(events).split('"running"').length >= 3);
    world.cluster.finish(NAME, 'Complete');
    await passUntilDone(world, result);
    await result;
    expect(events.filter(({ kind }) => kind === 'note')).toHaveLength(1);
  });

  test('a StatefulSet is followed until it rests', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 2, variation: 'statefulset' }), world.deps);
    const target = { ...TARGET, variation: 'statefulset' } as const;
    const { result, lines } = started(world, target);
    await until('the states', () => lines().length === 2);
    await world.api.scale({ namespace: 'release', name: NAME }, 0, {}, world.stop.signal);
    await passUntilDone(world, result);
    expect((await result).outcome).toBe('at rest');
  });

  test('stopping it leaves the cluster alone', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ count: 1 }), world.deps);
    const { result, lines } = started(world);
    await until('the state', () => lines().length > 0);
    world.cluster.calls.length = 0;
    world.stop.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    expect(world.cluster.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
