import { describe, expect, test } from 'vitest';
import {
  addSecrets,
  type ClusterWorld,
  clusterWorld,
  POOL,
  passUntilDone,
  request,
  TARGET,
  until,
} from '../../test/cluster-world.js';
import { generate } from '../generate/generate.js';
import { apply } from './apply.js';
import { waitText } from './report/wait-text.js';
import { type WaitProgress, type WaitRequest, type WaitResult, waitReady } from './wait.js';

const NAME = 'dispat-workers';

async function appliedPool(input = {}): Promise<ClusterWorld> {
  const world = await clusterWorld();
  addSecrets(world.cluster);
  await apply(request(input), world.deps);
  return world;
}

/** A wait under way, and what it told. */
function started(world: ClusterWorld, given: Partial<WaitRequest> = {}) {
  const told: WaitProgress[] = [];
  const result = waitReady({ target: TARGET, ...given }, world.deps, (progress) => told.push(progress));
  // Whoever awaits it sees a failure; until then it is nobody's.
  result.catch(() => {});
  return {
    result,
    told,
    stateOf: (node: string) => told.findLast((one) => one.kind === 'state' && one.state.node === node),
  };
}

const hello = (node: string) => ({ level: 'info', message: 'worker started', node });
const complaint = {
  level: 'error',
  message: 'the mailbox could not be served',
  error: 'Permission denied (publickey)',
};

describe('waiting for a pool', () => {
  test('until running: ends when each index has a pod whose container has started', async () => {
    await using world = await appliedPool({ count: 2 });
    const { result, stateOf } = started(world, { until: 'running' });
    await until('both states', () => stateOf('w-1') !== undefined);
    world.cluster.run(NAME, 0);
    await until('w-0 runs', () => JSON.stringify(stateOf('w-0')).includes('running'));
    world.cluster.run(NAME, 1);
    expect(await result).toMatchObject({
      outcome: 'ready',
      until: 'running',
      nodes: [{ node: 'w-0' }, { node: 'w-1' }],
    });
  });

  test('until serving: each log says the right name, and ten quiet seconds follow', async () => {
    await using world = await appliedPool({ count: 2 });
    const { result, told } = started(world);
    for (const index of [0, 1]) {
      world.cluster.run(NAME, index);
      world.cluster.log(NAME, index, hello(`w-${index}`));
    }
    await until('both have started', () => told.filter(({ kind }) => kind === 'started').length === 2);
    await world.clock.advance(9_000);
    expect(told.filter(({ kind }) => kind === 'ready')).toEqual([]);
    await world.clock.advance(1_500);
    expect(await result).toMatchObject({ outcome: 'ready', until: 'serving' });
    expect(told.filter(({ kind }) => kind === 'ready')).toHaveLength(2);
  });

  test('A77: an index that cannot be scheduled runs out the limit, and is named with the message', async () => {
    await using world = await appliedPool({ count: 3 });
    const { result, stateOf } = started(world, { until: 'running' });
    await until('the states', () => stateOf('w-2') !== undefined);
    world.cluster.run(NAME, 0);
    world.cluster.run(NAME, 1);
    const message = '0/3 nodes are available: 3 Insufficient cpu.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    world.cluster.setPod(NAME, 2, { phase: 'Pending', conditions });
    world.cluster.warn('Pod', world.cluster.pod(NAME, 2).metadata.name, 'FailedScheduling', message);
    await until('it is told', () => JSON.stringify(stateOf('w-2')).includes('Insufficient'));
    await until('w-1 runs', () => JSON.stringify(stateOf('w-1')).includes('running'));
    const ended = await endedBy(world, result, 600_000);
    expect(ended).toMatchObject({ outcome: 'timed out', limitMs: 600_000 });
    const text = waitText(ended);
    expect(text).toContain('1 of 3 nodes are not running after 10m');
    expect(text.replace(/\s+/g, ' ')).toContain(`w-2 (index 2) pending (Unschedulable: ${message})`);
    expect(text).toContain('FailedScheduling');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('A77: a log that repeats the mailbox error is told at once, and is no success', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, told } = started(world, { limitMs: 60_000 });
    world.cluster.run(NAME, 0);
    world.cluster.log(NAME, 0, hello('w-0'));
    await until('it has started', () => told.some(({ kind }) => kind === 'started'));
    await world.clock.advance(5_000);
    world.cluster.log(NAME, 0, complaint);
    await until('the error', () => told.some(({ kind }) => kind === 'mailbox error'));
    expect(told.at(-1)).toEqual({
      kind: 'mailbox error',
      node: 'w-0',
      index: 0,
      text: 'the mailbox could not be served: Permission denied (publickey)',
    });
    await world.clock.advance(8_000);
    expect(told.some(({ kind }) => kind === 'ready')).toBe(false);
    world.cluster.log(NAME, 0, complaint);
    const ended = await endedBy(world, result, 47_000, () => world.cluster.log(NAME, 0, complaint));
    expect(ended).toMatchObject({
      outcome: 'timed out',
      nodes: [{ node: 'w-0', phase: 'running', ready: false, logError: expect.stringContaining('Permission denied') }],
    });
  });

  test('a worker that calls itself something else never serves', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, told } = started(world, { limitMs: 30_000 });
    world.cluster.run(NAME, 0);
    world.cluster.log(NAME, 0, hello('w-'));
    await until('it is told', () => told.some(({ kind }) => kind === 'wrong name'));
    const ended = await endedBy(world, result, 30_000);
    expect(ended).toMatchObject({ outcome: 'timed out', nodes: [{ otherName: 'w-' }] });
  });

  test('A78: an index that fails ends it at once, with the end of its log', async () => {
    await using world = await appliedPool({ count: 2 });
    const { result, stateOf } = started(world);
    await until('the states', () => stateOf('w-1') !== undefined);
    world.cluster.run(NAME, 1);
    world.cluster.log(NAME, 1, 'No user exists for uid 1001');
    world.cluster.end(NAME, 1, 7);
    const ended = await result;
    expect(ended).toMatchObject({
      outcome: 'failed',
      failure: { node: 'w-1', why: 'failed (exit code 7, Error)', lastLines: ['No user exists for uid 1001'] },
    });
    expect(ended.tookMs).toBe(0);
  });

  test('an index that ended well before the release is a failure with a word on the idle timeout', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result } = started(world);
    world.cluster.run(NAME, 0);
    world.cluster.end(NAME, 0, 0);
    expect(await result).toMatchObject({
      outcome: 'failed',
      failure: { hint: expect.stringContaining('idle timeout') },
    });
  });

  test('A79: a watch that ends with 410 lists again, and succeeds', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, stateOf } = started(world, { until: 'running' });
    await until('the watches', () => world.cluster.openStreams.watches === 2 && stateOf('w-0') !== undefined);
    const lists = world.cluster.callsOf('GET', /\/pods$/).filter(({ query }) => !query.has('watch')).length;
    world.cluster.endWatches('gone');
    await until('the watches have ended', () => world.cluster.openStreams.watches === 0);
    world.cluster.run(NAME, 0);
    world.cluster.store.compact();
    await passUntilDone(world, result);
    expect(await result).toMatchObject({ outcome: 'ready' });
    const again = world.cluster.callsOf('GET', /\/pods$/).filter(({ query }) => !query.has('watch')).length;
    expect(again).toBe(lists + 1);
  });

  test('a watch that ends quietly goes on from where it was, without a list', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, stateOf } = started(world, { until: 'running' });
    await until('the watches', () => world.cluster.openStreams.watches === 2 && stateOf('w-0') !== undefined);
    const lists = world.cluster.callsOf('GET', /\/pods$/).filter(({ query }) => !query.has('watch')).length;
    world.cluster.endWatches();
    await until('the watches have ended', () => world.cluster.openStreams.watches === 0);
    world.cluster.run(NAME, 0);
    await passUntilDone(world, result);
    expect(await result).toMatchObject({ outcome: 'ready' });
    const again = world.cluster.callsOf('GET', /\/pods$/).filter(({ query }) => !query.has('watch'));
    expect(again).toHaveLength(lists);
    const last = world.cluster.callsOf('GET', /\/pods$/).at(-1);
    expect(Number(last?.query.get('resourceVersion'))).toBeGreaterThan(0);
  });

  test('where watching is not allowed it lists again and again', async () => {
    await using world = await appliedPool({ count: 1 });
    world.cluster.deny('watch', 'pods');
    world.cluster.deny('watch', 'jobs');
    const { result, stateOf } = started(world, { until: 'running' });
    await until('the state', () => stateOf('w-0') !== undefined);
    world.cluster.run(NAME, 0);
    await passUntilDone(world, result);
    expect(await result).toMatchObject({ outcome: 'ready' });
  });

  test('cut connections change nothing: it reads on', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, stateOf } = started(world, { until: 'running' });
    await until('the watches', () => world.cluster.openStreams.watches === 2 && stateOf('w-0') !== undefined);
    world.cluster.cutConnections();
    await until('the watches have ended', () => world.cluster.openStreams.watches === 0);
    world.cluster.run(NAME, 0);
    await passUntilDone(world, result);
    expect(await result).toMatchObject({ outcome: 'ready' });
  });

  test('without the right to read logs it waits for running, and says so; asked for serving it fails', async () => {
    await using world = await appliedPool({ count: 1 });
    world.cluster.deny('get', 'pods/log');
    const { result, told } = started(world);
    world.cluster.run(NAME, 0);
    expect(await result).toMatchObject({ outcome: 'ready', until: 'running' });
    expect(told).toContainEqual({ kind: 'note', text: expect.stringContaining('logs may not be read') });
    const asked = started(world, { until: 'serving' });
    await expect(asked.result).rejects.toThrow(/CLUSTER_FORBIDDEN .*no right to get pods\/log/);
  });

  test('an index that a quota leaves without a pod says what the Job was told', async () => {
    await using world = await appliedPool({ count: 1 });
    const pod = world.cluster.pod(NAME, 0);
    await world.api.remove(
      { apiVersion: 'v1', kind: 'Pod', namespace: 'release', name: pod.metadata.name },
      { propagation: 'Background' },
      world.stop.signal,
    );
    world.cluster.warn('Job', NAME, 'FailedCreate', 'exceeded quota: compute');
    const { result, stateOf } = started(world, { until: 'running', limitMs: 30_000 });
    await until('the state', () => stateOf('w-0') !== undefined);
    const why = until('why', () => JSON.stringify(stateOf('w-0')).includes('exceeded quota'));
    await passUntilDone(world, why);
    await why;
    await endedBy(world, result, 30_000);
  });

  test('a Job deleted meanwhile ends it', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, stateOf } = started(world);
    await until('the watches', () => world.cluster.openStreams.watches === 2 && stateOf('w-0') !== undefined);
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'release', name: NAME };
    await world.api.remove(ref, { propagation: 'Background' }, world.stop.signal);
    expect(await result).toMatchObject({ outcome: 'failed', failure: { why: 'dispat-workers was deleted' } });
  });

  test("the limit is the pool's own preflight", async () => {
    await using world = await appliedPool({ count: 1, preflight: 900 });
    const { result, stateOf } = started(world);
    await until('the state', () => stateOf('w-0') !== undefined);
    expect(await endedBy(world, result, 900_000)).toMatchObject({ outcome: 'timed out', limitMs: 900_000 });
  });

  test('stopping it changes nothing in the cluster', async () => {
    await using world = await appliedPool({ count: 1 });
    const { result, stateOf } = started(world);
    await until('the state', () => stateOf('w-0') !== undefined);
    world.cluster.calls.length = 0;
    world.stop.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    expect(world.cluster.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('a Job without our labels is found by name, its nodes by the prefix', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    const plain = generate({ ...POOL, count: 2, extras: false, policyKind: 'none' });
    const [job] = plain.objects.filter(({ kind }) => kind === 'Job');
    if (!job) throw new Error('no job');
    await world.api.apply(job, {}, world.stop.signal);
    const { result, stateOf } = started(world, { target: { ...TARGET, prefix: 'x-' }, until: 'running' });
    await until('the state', () => stateOf('x-1') !== undefined);
    world.cluster.run(NAME, 0);
    world.cluster.run(NAME, 1);
    expect(await result).toMatchObject({ outcome: 'ready' });
  });

  test('a pool that is not there, and a run that must be named, are told', async () => {
    await using world = await clusterWorld();
    addSecrets(world.cluster);
    await expect(started(world).result).rejects.toThrow(/NO_POOL release\/dispat-workers/);
    await apply(request({ runId: 'r1' }), world.deps);
    await apply(request({ runId: 'r2' }), world.deps);
    await expect(started(world).result).rejects.toThrow(/pools of several runs: r1, r2.*--run-id/);
  });
});

/** Lets time pass, five seconds at a time, until the wait ends. */
async function endedBy(
  world: ClusterWorld,
  result: Promise<WaitResult>,
  ms: number,
  each = () => {},
): Promise<WaitResult> {
  let ended: WaitResult | undefined;
  result.then(
    (value) => (ended = value),
    () => {},
  );
  for (let passed = 0; passed < ms; passed += 5_000) {
    each();
    await world.clock.advance(5_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await until('the end of the wait', () => ended !== undefined);
  return result;
}
