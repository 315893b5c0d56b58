import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { addSecrets, type ClusterWorld, clusterWorld, POOL, request } from '../../test/cluster-world.js';
import { generate } from '../generate/generate.js';
import { manifestsYaml } from '../generate/manifests.js';
import { apply } from './apply.js';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
async function kubectl({ kubeconfig }: ClusterWorld, ...args: string[]): Promise<string> {
  const own = ['--kubeconfig', kubeconfig, '--cache-dir', join(dirname(kubeconfig), 'cache')];
  const { stdout } = await promisify(execFile)('kubectl', [...own, ...args]);
  return stdout;
}

/** kubectl sends no token over plain HTTP. */
async function openWorld(): Promise<ClusterWorld> {
  const world = await clusterWorld();
  world.cluster.isOpen = true;
  addSecrets(world.cluster);
  return world;
}

// The fake is believed by the other tests; here a client that is not ours has to believe it too.
describe('the fake cluster, as kubectl sees it', () => {
  beforeEach(({ skip }) => skip(!hasKubectl, 'there is no kubectl on this machine'));

  test('lists and reads what was applied', async () => {
    await using world = await openWorld();
    await apply(request(), world.deps);
    const names = await kubectl(world, 'get', 'jobs,pods', '--namespace', 'release', '--output', 'name');
    expect(names.trim().split('\n')).toEqual([
      'job.batch/dispat-workers',
      ...[0, 1, 2, 3].map((index) => `pod/dispat-workers-${index}-x${index}z`),
    ]);
    const job = JSON.parse(
      await kubectl(world, 'get', 'job', 'dispat-workers', '-n', 'release', '-o', 'json', '--show-managed-fields'),
    );
    expect(job.metadata.managedFields).toMatchObject([{ manager: 'dispat-worker-manifest', operation: 'Apply' }]);
  });

  test('what kubectl applies server-side is the same, and conflicts with ours only where it differs', async () => {
    await using world = await openWorld();
    const { objects } = generate({ ...POOL, createNamespace: false });
    const file = join(dirname(world.kubeconfig), 'pool.yaml');
    await writeFile(file, manifestsYaml(objects));
    const applying = ['apply', '--server-side', '--validate=false', '--filename', file];
    expect(await kubectl(world, ...applying)).toContain('job.batch/dispat-workers serverside-applied');
    // Equal values conflict with nobody.
    const second = await apply(request({ createNamespace: false }), world.deps);
    expect(second.objects.at(-1)).toMatchObject({ action: 'unchanged' });

    const other = manifestsYaml(generate({ ...POOL, createNamespace: false, egress: ['198.51.100.0/24:22'] }).objects);
    await writeFile(
      file,
      other.slice(0, other.indexOf('kind: Job')).replace(/---\s+(#.*\s+)*apiVersion: batch\/v1\s*$/, ''),
    );
    await expect(kubectl(world, ...applying)).rejects.toThrow(/conflict with "dispat-worker-manifest"/);
  });

  test('reads logs and deletes', async () => {
    await using world = await openWorld();
    await apply(request(), world.deps);
    world.cluster.run('dispat-workers', 0);
    world.cluster.log('dispat-workers', 0, 'worker started');
    const pod = world.cluster.pod('dispat-workers', 0).metadata.name;
    expect(await kubectl(world, 'logs', pod, '-n', 'release')).toBe('worker started\n');
    await kubectl(world, 'delete', 'job', 'dispat-workers', '-n', 'release', '--wait=false');
    expect(world.cluster.list('Job')).toEqual([]);
  });
});
