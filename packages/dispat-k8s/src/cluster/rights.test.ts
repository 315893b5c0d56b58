import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { addSecrets, clusterWorld, request, TARGET, until } from '../../test/cluster-world.js';
import { apply } from './apply.js';
import { type FollowEvent, follow } from './follow.js';
import { remove } from './remove.js';
import { type WaitProgress, waitReady } from './wait.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/guides/dispat-worker-rights.md'), 'utf8');
const role = parse(/```yaml\n(apiVersion: rbac[\s\S]*?)```/.exec(page)?.[1] ?? '');

test('the Role of the page is enough for a pool from its beginning to its end', async () => {
  await using world = await clusterWorld();
  addSecrets(world.cluster);
  world.cluster.allowOnly(role.rules);
  const applied = await apply(request({ createNamespace: false, count: 1 }), world.deps);
  expect(applied.objects.map(({ action }) => action)).toEqual(['created', 'created']);

  const told: WaitProgress[] = [];
  const waiting = waitReady({ target: TARGET, until: 'serving' }, world.deps, (progress) => told.push(progress));
  world.cluster.run('dispat-workers', 0);
  world.cluster.log('dispat-workers', 0, { message: 'worker started', node: 'w-0' });
  await until('it has started', () => told.some(({ kind }) => kind === 'started'));
  await world.clock.advance(10_000);
  expect((await waiting).outcome).toBe('ready');

  const events: FollowEvent[] = [];
  const following = follow(TARGET, world.deps, (event) => events.push(event));
  await until('the log', () => events.some(({ kind }) => kind === 'log'));
  world.cluster.end('dispat-workers', 0, 0);
  world.cluster.finish('dispat-workers', 'Complete');
  await until('the end of the log', () => world.cluster.openStreams.logs === 0);
  await world.clock.advance(2_000);
  expect((await following).outcome).toBe('complete');
  expect(events.filter(({ kind }) => kind === 'note')).toEqual([]);

  const { removed } = await remove({ target: TARGET }, world.deps);
  expect(removed.map(({ kind }) => kind)).toEqual(['Job', 'NetworkPolicy']);
});

test('the Role of the page gives nobody a look at other Secrets', async () => {
  await using world = await clusterWorld();
  world.cluster.allowOnly(role.rules);
  await expect(world.api.secretKeys('release', 'npm-publish', world.stop.signal)).rejects.toThrow(/CLUSTER_FORBIDDEN/);
  await expect(
    world.api.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'release' }, world.stop.signal),
  ).rejects.toThrow(/CLUSTER_FORBIDDEN/);
});
