import { seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import {
  addSecrets,
  type ClusterWorld,
  clusterWorld,
  POOL,
  passUntilDone,
  request,
  until,
} from '../../test/cluster-world.js';
import { generate } from '../generate/generate.js';
import { watcherPort } from './watcher-port.js';

const POOLS = { ...POOL, platform: ['linux/amd64=2', 'linux/arm64=1'] };
const AMD = { prefix: 'w-amd64-', count: 2 };

function portOf({ api, clock }: ClusterWorld, seed: number, intervalMs = 10_000) {
  return watcherPort(generate(POOLS).options, { api, clock, random: seededRandom(seed), intervalMs });
}

describe('the port of a watcher', () => {
  test('tells how a pool stands, from nothing to its end', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const port = portOf(world, 1);
    const { signal } = world.stop;
    expect(await port.phaseOf(AMD, signal)).toBe('none');
    await port.start(AMD, signal);
    // The other platform's pool is nobody's wish.
    expect(world.cluster.list('Job').map(({ metadata }) => metadata.name)).toEqual(['dispat-workers-amd64']);
    expect(await port.phaseOf(AMD, signal)).toBe('starting');
    world.cluster.run('dispat-workers-amd64', 1);
    expect(await port.phaseOf(AMD, signal)).toBe('serving');
    world.cluster.finish('dispat-workers-amd64', 'Failed');
    expect(await port.phaseOf(AMD, signal)).toBe('failed');
    world.cluster.finish('dispat-workers-amd64', 'Complete');
    expect(await port.phaseOf(AMD, signal)).toBe('finished');
  });

  test('starts a pool with a run id again after its Job has finished, and replaces no Job of others', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const { api, clock, stop, cluster } = world;
    const { options } = generate({ ...POOL, runId: 'r1', count: 2 });
    const port = watcherPort(options, { api, clock, random: seededRandom(1), intervalMs: 10_000 });
    const pool = { prefix: 'w-', count: 2 };
    await port.start(pool, stop.signal);
    const uid = cluster.list('Job')[0]?.metadata.uid;
    cluster.finish('dispat-workers-r1', 'Complete');
    expect(await port.phaseOf(pool, stop.signal)).toBe('finished');
    const again = port.start(pool, stop.signal);
    await until('the deletion', () => cluster.callsOf('DELETE', /jobs/).length === 1);
    cluster.collectGarbage();
    await passUntilDone(world, again);
    await again;
    expect(cluster.list('Job').map(({ metadata }) => metadata.uid === uid)).toEqual([false]);
    expect(await port.phaseOf(pool, stop.signal)).toBe('starting');

    const others = generate({ ...POOL, name: 'other' });
    const foreign = { ...request({ name: 'other' }).objects.at(-1), metadata: { name: 'other', namespace: 'release' } };
    cluster.add(foreign as Parameters<typeof cluster.add>[0]);
    cluster.finish('other', 'Complete');
    const otherPort = watcherPort(others.options, { api, clock, random: seededRandom(2), intervalMs: 10_000 });
    await expect(otherPort.start({ prefix: 'w-', count: 4 }, stop.signal)).rejects.toThrow(/POOL_FINISHED/);
  });

  test('a watcher that polls seldom keeps the pools for three of its polls', async () => {
    await using world = await clusterWorld();
    const { signal } = world.stop;
    const seldom = portOf(world, 1, 400_000);
    const other = portOf(world, 2);
    await seldom.hold(signal);
    expect(await other.hold(signal)).toBe(false);
    await world.clock.advance(1_199_000);
    expect(await other.hold(signal)).toBe(false);
    await world.clock.advance(1_000);
    expect(await other.hold(signal)).toBe(true);
  });

  test('one watcher holds the pools at a time, until it gives them back', async () => {
    await using world = await clusterWorld();
    const [first, second] = [portOf(world, 1), portOf(world, 2)];
    const { signal } = world.stop;
    expect(await first.hold(signal)).toBe(true);
    expect(await second.hold(signal)).toBe(false);
    expect(await first.hold(signal)).toBe(true);
    await first.release();
    expect(await second.hold(signal)).toBe(true);
    await first.release();
    expect(await first.hold(signal)).toBe(false);
  });

  test('a watcher that is gone loses them after three of the longest waits between polls', async () => {
    await using world = await clusterWorld();
    const [first, second] = [portOf(world, 1), portOf(world, 2)];
    const { signal } = world.stop;
    await first.hold(signal);
    expect(await second.hold(signal)).toBe(false);
    await world.clock.advance(899_000);
    expect(await second.hold(signal)).toBe(false);
    await world.clock.advance(1_000);
    expect(await second.hold(signal)).toBe(true);
    expect(await first.hold(signal)).toBe(false);
  });

  test('one that still renews keeps them, however the clocks of the machines differ', async () => {
    await using world = await clusterWorld();
    const [first, second] = [portOf(world, 1), portOf(world, 2)];
    const { signal } = world.stop;
    for (let turn = 0; turn < 5; turn++) {
      expect(await first.hold(signal)).toBe(true);
      expect(await second.hold(signal)).toBe(false);
      await world.clock.advance(300_000);
      world.clock.stepWall(3_600_000);
    }
  });
});
