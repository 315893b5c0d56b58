import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addSecrets, type ClusterWorld, clusterWorld, POOL, until } from '../../test/cluster-world.js';
import { runProgram } from '../../test/world.js';
import { EXIT, StopRequest } from '../exit.js';

const NAME = 'dispat-workers';
const OPTIONS = ['--endpoint', String(POOL.endpoint), '--image', String(POOL.image), '--egress', '192.0.2.0/24:22'];

async function program(world: ClusterWorld, args: readonly string[], stop?: AbortSignal) {
  const env = { KUBECONFIG: world.kubeconfig };
  return runProgram(args, { env, clock: world.clock, ...(stop && { signal: stop }) });
}

describe('which pool is meant', () => {
  test('names that would reach into a selector, and an id from a variable that is not set, are all told at once', async () => {
    await using world = await clusterWorld();
    const names = ['--name', 'w,dispat.dev/run', '--namespace', 'Release'];
    for (const command of ['wait', 'follow', 'delete']) {
      const refused = await program(world, [command, ...names, '--run-id-from', '']);
      expect(refused).toMatchObject({ code: EXIT.invalid, stdout: '' });
      expect(refused.stderr.match(/Error: [A-Z_]+ [a-z-]+/g)).toEqual([
        'Error: NAME_INVALID name',
        'Error: RUN_ID_INVALID run-id-from',
        'Error: NAME_INVALID namespace',
      ]);
      const both = await program(world, [command, '--run-id', 'x!', '--run-id-from', '1.2.3']);
      expect(both.stderr).toContain('OPTIONS_CONFLICT run-id-from');
      if (command === 'follow') {
        const json = await program(world, [command, '--json', '--run-id', 'x!']);
        expect(JSON.parse(json.stderr).problems).toMatchObject([{ code: 'RUN_ID_INVALID' }]);
      }
      const wrong = await program(world, [command, '--run-id', 'x!']);
      expect(wrong.stderr).toContain('RUN_ID_INVALID run-id: found "x!"');
    }
    expect(world.cluster.calls).toEqual([]);
  });
});

describe('apply', () => {
  test('creates a pool and says so, in text and as one JSON document', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const text = await program(world, ['apply', ...OPTIONS]);
    expect(text).toMatchObject({ code: EXIT.done });
    expect(text.stdout).toBe(
      [
        'configured  Namespace release',
        `created     NetworkPolicy release/${NAME}`,
        `created     Job release/${NAME}`,
        '',
      ].join('\n'),
    );
    const json = await program(world, ['apply', ...OPTIONS, '--format', 'json']);
    expect(JSON.parse(json.stdout).objects.at(-1)).toEqual({
      object: { apiVersion: 'batch/v1', kind: 'Job', name: NAME, namespace: 'release' },
      action: 'unchanged',
    });
  });

  test('other inputs while it runs: exit 4; a Secret that is missing: exit 2; no right: exit 5', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await program(world, ['apply', ...OPTIONS]);
    const inUse = await program(world, ['apply', ...OPTIONS, '--count', '5', '--format', 'json']);
    expect(inUse).toMatchObject({ code: EXIT.inUse, stdout: '' });
    expect(JSON.parse(inUse.stderr.slice(inUse.stderr.indexOf('{'))).problems).toMatchObject([{ code: 'POOL_IN_USE' }]);
    const missing = await program(world, ['apply', ...OPTIONS, '--name', 'other', '--secret-name', 'none']);
    expect(missing.code).toBe(EXIT.invalid);
    expect(missing.stderr).toContain('SECRET_MISSING');
    world.cluster.deny('get', 'jobs');
    const forbidden = await program(world, ['apply', ...OPTIONS]);
    expect(forbidden.code).toBe(EXIT.noAccess);
    expect(forbidden.stderr).toContain('CLUSTER_FORBIDDEN');
  });

  test('refuses what the check finds wrong, unless it is told not to check', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const wrong = ['apply', ...OPTIONS, '--pod-security', 'documented'];
    const refused = await program(world, wrong);
    expect(refused).toMatchObject({ code: EXIT.found, stdout: '' });
    expect(refused.stderr).toContain('DWM216');
    expect(world.cluster.calls).toEqual([]);
    const applied = await program(world, [...wrong, '--no-check']);
    expect(applied.code).toBe(EXIT.done);
    expect(applied.stderr).toContain('unchecked');
  });

  test('waits when asked, and gives both results as one document', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const args = ['apply', ...OPTIONS, '--count', '1', '--wait', '--until', 'running', '--format', 'json'];
    const running = program(world, args);
    await until('the pod', () => world.cluster.openStreams.watches === 2);
    world.cluster.run(NAME, 0);
    const { code, stdout } = await running;
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({ objects: [{}, {}, { action: 'created' }], wait: { outcome: 'ready' } });
  });
});

describe('wait', () => {
  test('a wait that runs out is exit 3, a pool that failed exit 1', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await program(world, ['apply', ...OPTIONS, '--count', '1']);
    const waiting = program(world, ['wait', '--timeout', '30', '--until', 'running']);
    await until('the watches', () => world.cluster.openStreams.watches === 2);
    await world.clock.advance(30_000);
    const late = await waiting;
    expect(late.code).toBe(EXIT.timedOut);
    expect(late.stdout).toContain('w-0 (index 0)  pending');
    expect(late.stderr).toBe('w-0  pending\n');

    world.cluster.run(NAME, 0);
    world.cluster.end(NAME, 0, 1);
    const failed = await program(world, ['wait']);
    expect(failed.code).toBe(EXIT.found);
    expect(failed.stdout).toContain('w-0 failed (exit code 1, Error).');
  });

  test('stopped, it leaves the pool and prints the command that removes it', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await program(world, ['apply', ...OPTIONS, '--run-id', 'r1']);
    const stop = new AbortController();
    const waiting = program(world, ['wait', '--run-id', 'r1'], stop.signal);
    await until('the watches', () => world.cluster.openStreams.watches === 2);
    world.cluster.calls.length = 0;
    stop.abort(new StopRequest('SIGINT'));
    const { code, stderr } = await waiting;
    expect(code).toBe(EXIT.interrupted);
    expect(stderr).toContain(`dispat-worker-manifest delete --namespace release --name ${NAME} --run-id r1\n`);
    expect(world.cluster.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('takes the pool from the options file that it was applied with', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
    const file = join(folder, 'pool.yaml');
    await writeFile(file, `${JSON.stringify({ ...POOL, name: 'other', runIdFrom: '1.2.3', count: 1 })}\n`);
    expect((await program(world, ['apply', '--config', file])).code).toBe(EXIT.done);
    const waiting = program(world, ['wait', '--config', file, '--until', 'running']);
    await until('the watches', () => world.cluster.openStreams.watches === 2);
    const [job] = world.cluster.list('Job');
    world.cluster.run(job?.metadata.name ?? '', 0);
    expect((await waiting).code).toBe(EXIT.done);
    await rm(folder, { recursive: true });
  });
});

describe('follow', () => {
  test('writes a JSON document a line, to a file when told', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await program(world, ['apply', ...OPTIONS, '--count', '1']);
    world.cluster.finish(NAME, 'Complete');
    const folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
    const file = join(folder, 'log');
    const { code, stdout } = await program(world, ['follow', '--json', '--output', file]);
    expect({ code, stdout }).toEqual({ code: EXIT.done, stdout: '' });
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ kind }) => kind)).toEqual(['state', 'end']);
    await rm(folder, { recursive: true });
  });
});

describe('delete', () => {
  test('refuses with exit 4 while pods run, and deletes by force', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await program(world, ['apply', ...OPTIONS]);
    world.cluster.run(NAME, 0);
    const refused = await program(world, ['delete']);
    expect(refused).toMatchObject({ code: EXIT.inUse, stdout: '' });
    const forced = await program(world, ['delete', '--force']);
    expect(forced.code).toBe(EXIT.done);
    expect(forced.stdout).toContain(`deleted  Job release/${NAME}\n`);
    expect(forced.stdout).toContain('kept  namespaces/release and its Secrets: they are never deleted\n');
  });

  test('claims are purged only with the name of the pool as the confirmation', async () => {
    await using world = await clusterWorld();
    const { code, stderr } = await program(world, ['delete', '--variation', 'statefulset', '--purge-claims', 'yes']);
    expect(code).toBe(EXIT.invalid);
    expect(stderr).toContain(`--purge-claims ${NAME}`);
    expect(world.cluster.calls).toEqual([]);
  });

  test('--idle asks the real mailbox', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
    const { execFileSync } = await import('node:child_process');
    execFileSync('git', ['init', '--quiet', '--bare', folder]);
    const options = ['--endpoint', folder, '--image', String(POOL.image), '--egress', '192.0.2.0/24:22'];
    await program(world, ['apply', ...options, '--no-check']);
    world.cluster.run(NAME, 0);
    expect((await program(world, ['delete', '--idle'])).stderr).toContain('ENDPOINT_MISSING');
    const idle = await program(world, ['delete', '--idle', '--endpoint', folder, '--dry-run']);
    expect(idle).toMatchObject({ code: EXIT.done, stdout: expect.stringContaining('would delete  Job') });
    await rm(folder, { recursive: true });
  });
});
