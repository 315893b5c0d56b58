import { seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { addSecrets, type ClusterWorld, clusterWorld, POOL } from '../../test/cluster-world.js';
import { generate } from '../generate/generate.js';
import { watcherPort } from './watcher-port.js';

const POOLS = { ...POOL, platform: ['linux/amd64=2', 'linux/arm64=1'] };
const AMD = { prefix: 'w-amd64-', count: 2 };

function portOf({ api, clock }: ClusterWorld, seed: number) {
  return watcherPort(generate(POOLS).options, { api, clock, random: seededRandom(seed) });
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

  test('a watcher that is gone loses them a minute after its last sign', async () => {
    await using world = await clusterWorld();
    const [first, second] = [portOf(world, 1), portOf(world, 2)];
    const { signal } = world.stop;
    await first.hold(signal);
    expect(await second.hold(signal)).toBe(false);
    await world.clock.advance(59_000);
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
      await world.clock.advance(30_000);
      world.clock.stepWall(3_600_000);
    }
  });
});
