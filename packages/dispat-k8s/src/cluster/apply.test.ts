import { describe, expect, test } from 'vitest';
import { addSecret, addSecrets, clusterWorld, passUntilDone, request, until } from '../../test/cluster-world.js';
import type { InputProblem } from '../problems.js';
import { apply } from './apply.js';

/** The problems an apply ended with. */
async function problemsOf(work: Promise<unknown>): Promise<readonly InputProblem[]> {
  const error: unknown = await work.then(
    () => undefined,
    (reason) => reason,
  );
  if (error instanceof Error && 'problems' in error) return error.problems as readonly InputProblem[];
  throw new Error(`no InputError but ${String(error)}`);
}

describe('apply', () => {
  test('A74: a second time with equal inputs is a success that changes nothing', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const first = await apply(request(), world.deps);
    expect(first.objects.map(({ object, action }) => `${object.kind} ${action}`)).toEqual([
      'Namespace configured',
      'NetworkPolicy created',
      'Job created',
    ]);
    expect(world.cluster.list('Pod')).toHaveLength(4);
    const version = world.cluster.get('Job', 'release', 'dispat-workers')?.metadata.resourceVersion;

    const second = await apply(request(), world.deps);
    expect(second.objects.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(world.cluster.get('Job', 'release', 'dispat-workers')?.metadata.resourceVersion).toBe(version);
  });

  test('A75: other inputs while the pool runs are refused before anything is touched', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    world.cluster.calls.length = 0;
    const problems = await problemsOf(apply(request({ count: 5 }), world.deps));
    expect(problems).toMatchObject([{ code: 'POOL_IN_USE', at: 'release/Job/dispat-workers' }]);
    expect(world.cluster.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('A76: a Secret without its key is told before the Job exists, all of them at once', async () => {
    await using world = await clusterWorld();
    world.cluster.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'release' } });
    addSecret(world.cluster, 'dispat-execution', { other: 'aHVzaA==' });
    const problems = await problemsOf(apply(request(), world.deps));
    expect(problems).toMatchObject([
      { code: 'SECRET_MISSING', at: 'release/secrets/dispat-execution', found: 'no key secret in it (it has other)' },
      { code: 'SECRET_MISSING', at: 'release/secrets/mailbox-deploy-key', found: 'no such Secret' },
    ]);
    expect(JSON.stringify(problems)).not.toContain('aHVzaA');
    expect(world.cluster.get('Job', 'release', 'dispat-workers')).toBeUndefined();
    // The namespace is there, so that the Secrets can be made.
    expect(world.cluster.get('NetworkPolicy', 'release', 'dispat-workers')).toBeDefined();
  });

  test('sends JSON as an apply patch under its own field manager, and never by force unless asked', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    const [call] = world.cluster.callsOf('PATCH', /\/jobs\/dispat-workers$/);
    expect(call?.contentType).toBe('application/apply-patch+yaml');
    expect(call?.query.get('fieldManager')).toBe('dispat-worker-manifest');
    expect(call?.query.get('force')).toBe('false');
    expect(JSON.parse(call?.body ?? '').kind).toBe('Job');
  });

  test('lists every conflict by field and manager, and takes the fields over when told to', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    await world.api.remove(
      { apiVersion: 'batch/v1', kind: 'Job', namespace: 'release', name: 'dispat-workers' },
      { propagation: 'Background' },
      world.stop.signal,
    );
    const name = 'dispat-workers';
    const policy = world.cluster.get('NetworkPolicy', 'release', name);
    const path = `/apis/networking.k8s.io/v1/namespaces/release/networkpolicies/${name}`;
    const body = JSON.stringify({
      spec: { policyTypes: ['Ingress'] },
      metadata: { labels: { 'dispat.dev/pool': 'x' } },
    });
    const answer = await fetch(`${world.cluster.url}${path}?fieldManager=kubectl-edit`, {
      method: 'PATCH',
      body,
      headers: { authorization: 'Bearer fake-cluster-token', 'content-type': 'application/merge-patch+json' },
    });
    expect(answer.status).toBe(200);

    const problems = await problemsOf(apply(request(), world.deps));
    expect(problems.map(({ code, at, found }) => `${code} ${at}: ${found}`).sort()).toEqual([
      'FIELD_CONFLICT release/networkpolicies/dispat-workers .metadata.labels.dispat.dev/pool: a value owned by kubectl-edit',
      'FIELD_CONFLICT release/networkpolicies/dispat-workers .spec.policyTypes: a value owned by kubectl-edit',
    ]);
    expect(world.cluster.get('Job', 'release', name)).toBeUndefined();

    await apply({ ...request(), forceConflicts: true }, world.deps);
    expect(world.cluster.get('NetworkPolicy', 'release', name)?.spec).toEqual(policy?.spec);
  });

  test('replaces a finished Job of a fixed name, foreground first, and waits until it is gone', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request(), world.deps);
    const before = world.cluster.get('Job', 'release', 'dispat-workers')?.metadata.uid;
    world.cluster.finish('dispat-workers', 'Complete');

    const applying = apply(request(), world.deps);
    await until(
      'the deletion',
      () => world.cluster.get('Job', 'release', 'dispat-workers')?.metadata.deletionTimestamp !== undefined,
    );
    const [deletion] = world.cluster.callsOf('DELETE', /jobs/);
    expect(JSON.parse(deletion?.body ?? '')).toMatchObject({
      propagationPolicy: 'Foreground',
      preconditions: { uid: before },
    });
    world.cluster.collectGarbage();
    await passUntilDone(world, applying);
    const { objects } = await applying;
    expect(objects.at(-1)).toMatchObject({ action: 'replaced' });
    expect(world.cluster.get('Job', 'release', 'dispat-workers')?.metadata.uid).not.toBe(before);
  });

  test('keeps a finished Job of the same run unless it is told to replace it', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await apply(request({ runId: 'r1' }), world.deps);
    world.cluster.finish('dispat-workers-r1', 'Failed');
    const problems = await problemsOf(apply(request({ runId: 'r1' }), world.deps));
    expect(problems).toMatchObject([{ code: 'POOL_FINISHED', found: 'a Job that has finished (failed)' }]);
    expect(problems[0]?.fix).toContain('--replace');

    const next = await apply(request({ runId: 'r2' }), world.deps);
    expect(next.objects.at(-1)).toMatchObject({ object: { name: 'dispat-workers-r2' }, action: 'created' });
  });

  test('refuses a running Job of its name that somebody else made', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    world.cluster.add({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'dispat-workers', namespace: 'release' },
      spec: {},
    });
    const problems = await problemsOf(apply(request(), world.deps));
    expect(problems).toMatchObject([{ code: 'POOL_IN_USE', found: 'a Job that this program did not make' }]);
  });

  test('a StatefulSet is scaled up and nothing else; its template changes only at rest and when asked', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const pool = (replicas: number, cpu = '7') => request({ variation: 'statefulset', replicas, cpu });
    await apply(pool(0), world.deps);
    const scaled = await apply(pool(4, '3'), world.deps);
    expect(scaled.objects.at(-1)).toMatchObject({
      action: 'scaled',
      note: expect.stringContaining('--update-template'),
    });
    const live = world.cluster.get('StatefulSet', 'release', 'dispat-workers');
    expect(live?.spec).toMatchObject({ replicas: 4 });
    expect(JSON.stringify(live?.spec)).toContain('"cpu":"7"');

    const inUse = await problemsOf(apply({ ...pool(4, '3'), updateTemplate: true }, world.deps));
    expect(inUse).toMatchObject([{ code: 'POOL_IN_USE' }]);
    const down = await problemsOf(apply(pool(0), world.deps));
    expect(down).toMatchObject([{ code: 'POOL_IN_USE', found: expect.stringContaining('scaling down ends workers') }]);
  });

  test('a right that is missing is named by verb and resource', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    world.cluster.deny('patch', 'networkpolicies');
    const problems = await problemsOf(apply(request(), world.deps));
    expect(problems).toMatchObject([
      { code: 'CLUSTER_FORBIDDEN', found: expect.stringMatching(/^no right to patch networkpolicies/) },
    ]);
  });

  test('a dry run of the server keeps nothing, one of the client sends nothing', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const server = await apply({ ...request(), dryRun: 'server' }, world.deps);
    expect(server.objects.at(-1)).toMatchObject({ action: 'created' });
    expect(world.cluster.get('Job', 'release', 'dispat-workers')).toBeUndefined();
    world.cluster.calls.length = 0;
    const client = await apply({ ...request(), dryRun: 'client' }, world.deps);
    expect(client.objects.map(({ object }) => object.kind)).toEqual(['Namespace', 'NetworkPolicy', 'Job']);
    expect(world.cluster.calls).toEqual([]);
  });

  test('a pool of two platforms is applied whole or not at all', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const both = { platform: ['linux/amd64=1', 'linux/arm64=1'] };
    world.cluster.add({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'dispat-workers-arm64', namespace: 'release' },
      spec: {},
    });
    await problemsOf(apply(request(both), world.deps));
    expect(world.cluster.get('Job', 'release', 'dispat-workers-amd64')).toBeUndefined();
  });
});
