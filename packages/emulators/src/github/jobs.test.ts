import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  connect,
  openSession,
  type RawRunner,
  type RawService,
  type RawSession,
  registerRunner,
  SCALE_SETS,
} from '../../test/raw-client.js';
import { type ManualClock, manualClock } from '../clock.js';
import type { EmulatedMachine } from '../machine/machine.js';
import type { GitHubEmulator } from './emulator.js';
import type { GitHubEvent } from './events.js';
import { startGitHubEmulator } from './start.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const NO_TIME = '0001-01-01T00:00:00Z';
let clock: ManualClock;
let github: GitHubEmulator;
let service: RawService;

beforeEach(async () => {
  clock = manualClock(NOW);
  github = await startGitHubEmulator({ clock, scopes: ['acme', 'other'], sessionExpiryMs: 10_000_000 });
  service = await connect(github);
});
afterEach(() => github.close());

/** A scale set whose listener has room for so many jobs. */
async function listening(name: string, capacity: number, labels: string[] = [name]): Promise<RawSession> {
  const { id } = github.addScaleSet({ name, labels });
  const session = await openSession(service, id);
  await saying(session, capacity);
  return session;
}

/** A poll that says how much room there is and finds nothing. */
async function saying(session: RawSession, capacity: number): Promise<void> {
  const hold = github.settings.pollHoldMs;
  github.settings.pollHoldMs = 0;
  expect((await session.poll({ capacity, lastMessageId: 999_999_999 })).status).toBe(202);
  github.settings.pollHoldMs = hold;
}

const states = (): Record<string, string> => Object.fromEntries(github.jobs().map(({ name, state }) => [name, state]));
const kinds = (entries: readonly Record<string, unknown>[]) => entries.map(({ messageType }) => messageType);

async function startRunner(name: string, scaleSetId = 1): Promise<{ runner: RawRunner; machine: EmulatedMachine }> {
  const runner = await registerRunner(service, scaleSetId, name);
  const machine = github.startRunner(runner.encodedJITConfig);
  clock.advance(0);
  return { runner, machine };
}

async function idleRunner(name: string, scaleSetId = 1): ReturnType<typeof startRunner> {
  const started = await startRunner(name, scaleSetId);
  await expect.poll(() => github.runners().find((runner) => runner.name === name)?.calling).toBe(true);
  return started;
}

describe('a queued job', () => {
  test('goes to the scale set whose labels include all it asks for, ignoring case', async () => {
    await listening('small', 10, ['small', 'linux']);
    await listening('big', 10, ['big', 'Linux', 'gpu']);
    github.queueJob({ name: 'one', labels: ['GPU', 'linux'] });
    github.queueJob({ name: 'two', labels: ['small'] });
    github.queueJob({ name: 'three', labels: ['gpu', 'small'] });
    expect(github.jobs().map(({ name, scaleSet }) => [name, scaleSet])).toEqual([
      ['one', 'big'],
      ['two', 'small'],
      ['three', undefined],
    ]);
  });

  test('goes where there is a listener with room', async () => {
    github.addScaleSet({ name: 'no-listener', labels: ['linux'] });
    await listening('full', 0, ['linux']);
    await listening('free', 1, ['linux']);
    github.queueJobs([
      { name: 'one', labels: ['linux'] },
      { name: 'two', labels: ['linux'] },
    ]);
    expect(github.jobs().map(({ scaleSet }) => scaleSet)).toEqual(['free', undefined]);
  });

  test('waits until the listener says it has room', async () => {
    const session = await listening('linux', 0);
    github.queueJob({ name: 'one', labels: ['linux'] });
    expect(states()).toEqual({ one: 'queued' });
    await saying(session, 1);
    expect(states()).toEqual({ one: 'assigned' });
  });

  test('takes its turn: the oldest goes first', async () => {
    const session = await listening('linux', 0);
    github.queueJob({ name: 'first', labels: ['linux'], repository: 'acme/b' });
    github.queueJob({ name: 'second', labels: ['linux'], repository: 'acme/a' });
    await saying(session, 1);
    expect(states()).toEqual({ first: 'assigned', second: 'queued' });
  });

  test('of a repository elsewhere is not taken', async () => {
    await listening('linux', 10);
    github.queueJob({ name: 'one', labels: ['linux'], repository: 'other/web' });
    expect(states()).toEqual({ one: 'queued' });
  });
});

describe('an assigned job', () => {
  test('is told of as the scale set protocol has it', async () => {
    const session = await listening('linux', 10);
    const job = github.queueJob({ name: 'test', workflow: 'ci', repository: 'acme/web', labels: ['linux'] });
    const { entries } = await session.poll();
    expect(entries).toEqual([
      {
        messageType: 'JobAssigned',
        runnerRequestId: 0,
        jobId: job.id,
        repositoryName: 'web',
        ownerName: 'acme',
        jobWorkflowRef: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
        jobDisplayName: 'test',
        workflowRunId: job.runId,
        eventName: 'push',
        requestLabels: ['linux'],
        queueTime: '2026-11-30T12:00:00.000Z',
        scaleSetAssignTime: '2026-11-30T12:00:00.000Z',
        runnerAssignTime: NO_TIME,
        finishTime: NO_TIME,
      },
    ]);
  });

  test('starts on an idle runner, ends with it, and every step is told', async () => {
    const session = await listening('linux', 10);
    const { runner, machine } = await idleRunner('linux-1');
    expect(github.scaleSets()[0]?.statistics.totalIdleRunners).toBe(1);
    clock.advance(1000);
    const job = github.queueJob({ name: 'test', labels: ['linux'], seconds: 30 });
    const started = await session.poll();
    expect(kinds(started.entries)).toEqual(['JobAssigned', 'JobStarted']);
    expect(started.entries[1]).toMatchObject({
      jobId: job.id,
      runnerId: runner.id,
      runnerName: 'linux-1',
      runnerAssignTime: '2026-11-30T12:00:01.000Z',
    });
    expect(started.statistics).toEqual({
      totalAvailableJobs: 0,
      totalAcquiredJobs: 0,
      totalAssignedJobs: 1,
      totalRunningJobs: 1,
      totalRegisteredRunners: 1,
      totalBusyRunners: 1,
      totalIdleRunners: 0,
    });
    await expect.poll(() => machine.state).toBe('running');
    clock.advance(30_000);
    const ended = await session.poll({ lastMessageId: started.id });
    expect(ended.entries).toMatchObject([
      { messageType: 'JobCompleted', result: 'succeeded', runnerId: runner.id, finishTime: '2026-11-30T12:00:31.000Z' },
    ]);
    expect(ended.statistics).toMatchObject({ totalAssignedJobs: 0, totalRegisteredRunners: 0 });
    expect(github.jobs()[0]).toMatchObject({
      queuedAt: NOW + 1000,
      assignedAt: NOW + 1000,
      startedAt: NOW + 1000,
      finishedAt: NOW + 31_000,
      runnerName: 'linux-1',
      runnerConnectedAt: NOW,
    });
  });

  test('goes to the oldest of several waiting runners, and each runner gets one job', async () => {
    await listening('linux', 10);
    await idleRunner('linux-1');
    await idleRunner('linux-2');
    github.queueJobs([
      { name: 'one', labels: ['linux'] },
      { name: 'two', labels: ['linux'] },
      { name: 'three', labels: ['linux'] },
    ]);
    expect(github.jobs().map(({ runnerName }) => runnerName)).toEqual(['linux-1', 'linux-2', undefined]);
  });

  test('may be told to have started much later', async () => {
    github.settings.jobStartedDelayMs = 50_000;
    const session = await listening('linux', 10);
    await idleRunner('linux-1');
    github.queueJob({ labels: ['linux'], seconds: 100 });
    const assigned = await session.poll();
    expect(kinds(assigned.entries)).toEqual(['JobAssigned']);
    expect(github.jobs()[0]?.state).toBe('running');
    clock.advance(50_000);
    const { entries } = await session.poll({ lastMessageId: assigned.id });
    expect(entries).toMatchObject([{ messageType: 'JobStarted', runnerAssignTime: '2026-11-30T12:00:00.000Z' }]);
  });

  test('that no runner takes is taken back three times, at growing intervals, and then ends', async () => {
    const session = await listening('linux', 10);
    github.queueJob({ name: 'one', labels: ['linux'] });
    clock.advance(299_999);
    expect(states()).toEqual({ one: 'assigned' });
    clock.advance(1);
    expect(states()).toEqual({ one: 'queued' });
    const { entries, statistics } = await session.poll();
    expect(kinds(entries)).toEqual(['JobAssigned', 'JobCompleted']);
    expect(entries[1]).toMatchObject({ result: 'canceled', runnerId: 0, runnerName: '' });
    expect(statistics.totalAssignedJobs).toBe(0);
    for (const delay of [10_000, 20_000, 30_000]) {
      clock.advance(delay - 1);
      expect(states()).toEqual({ one: 'queued' });
      clock.advance(1);
      expect(states()).toEqual({ one: 'assigned' });
      clock.advance(300_000);
    }
    expect(github.jobs()[0]).toMatchObject({ state: 'completed', result: 'canceled', requeued: 3 });
  });

  test('goes back into the queue when its scale set is purged, and to another one', async () => {
    await listening('first', 10, ['linux']);
    github.queueJob({ name: 'one', labels: ['linux'] });
    await listening('second', 10, ['linux']);
    github.purgeScaleSet(1);
    expect(github.jobs()[0]).toMatchObject({ state: 'assigned', scaleSet: 'second' });
  });

  test('that is cancelled before it starts names no runner', async () => {
    const session = await listening('linux', 10);
    const { id } = github.queueJob({ labels: ['linux'] });
    github.cancelJob(id);
    const { entries } = await session.poll();
    expect(entries[1]).toMatchObject({ messageType: 'JobCompleted', result: 'canceled', runnerId: 0 });
    expect(github.jobs()[0]).toMatchObject({ state: 'completed', result: 'canceled' });
  });

  test('makes room for the next when it ends', async () => {
    await listening('linux', 1);
    const { id } = github.queueJob({ name: 'one', labels: ['linux'] });
    github.queueJob({ name: 'two', labels: ['linux'] });
    expect(states()).toEqual({ one: 'assigned', two: 'queued' });
    github.cancelJob(id);
    expect(states()).toEqual({ one: 'completed', two: 'assigned' });
  });
});

describe('a runner', () => {
  const remove = (id: number) => service.service('DELETE', `_apis/distributedtask/pools/0/agents/${id}`);

  test('with a job cannot be removed, nor can its scale set', async () => {
    await listening('linux', 10);
    const { runner } = await idleRunner('linux-1');
    github.queueJob({ labels: ['linux'], seconds: 100 });
    await expect.poll(() => github.runners()[0]?.busy).toBe(true);
    const answer = await remove(runner.id);
    expect([answer.status, answer.json.typeKey]).toEqual([400, 'JobStillRunningException']);
    expect((await service.service('DELETE', `${SCALE_SETS}/1`)).status).toBe(400);
    expect(github.runners()).toHaveLength(1);
  });

  test('that drops out with a job stays busy, is offline after a moment, and its job fails in the end', async () => {
    await listening('linux', 10);
    const { machine, runner } = await idleRunner('linux-1');
    github.queueJob({ labels: ['linux'], seconds: 100_000 });
    await expect.poll(() => github.counts.get('runner-cancellation')).toBe(1);
    machine.kill();
    await expect.poll(() => github.runners()[0]?.calling).toBe(false);
    clock.advance(1999);
    expect(github.runners()[0]).toMatchObject({ status: 'online', busy: true });
    clock.advance(1);
    expect(github.runners()[0]).toMatchObject({ status: 'offline', busy: true });
    expect((await remove(runner.id)).status).toBe(400);
    clock.advance(599_999);
    expect(github.jobs()[0]?.state).toBe('running');
    clock.advance(1);
    expect(github.jobs()[0]).toMatchObject({ state: 'completed', result: 'failed', runnerName: 'linux-1' });
    expect(github.runners()).toEqual([]);
  });

  test('connects with its secret only, and once it is removed no more', async () => {
    await listening('linux', 10);
    const { id } = await registerRunner(service, 1, 'linux-1');
    const status = async () =>
      (await call(`${github.url}/runners/${id}/connect`, { method: 'POST', authorization: 'Bearer x', body: {} }))
        .status;
    expect(await status()).toBe(401);
    const { runner, machine } = await idleRunner('linux-2');
    await remove(runner.id);
    await expect.poll(() => machine.state).toBe('off');
  });
});

describe('jobs that have to be acquired', () => {
  beforeEach(() => {
    github.settings.personality = 'acquire';
  });
  const acquire = (session: RawSession, ids: unknown, token = session.token) =>
    service.service('POST', `${SCALE_SETS}/1/acquirejobs`, ids, { authorization: `Bearer ${token}` });
  const acquirable = () => service.service('GET', `${SCALE_SETS}/1/acquirablejobs`);

  test('are offered, and assigned when they are acquired', async () => {
    const session = await listening('linux', 10);
    github.queueJobs([
      { name: 'one', labels: ['linux'] },
      { name: 'two', labels: ['linux'] },
    ]);
    const offered = await session.poll();
    expect(kinds(offered.entries)).toEqual(['JobAvailable', 'JobAvailable']);
    expect(offered.statistics).toMatchObject({ totalAvailableJobs: 2, totalAcquiredJobs: 0, totalAssignedJobs: 0 });
    const ids = offered.entries.map(({ runnerRequestId }) => Number(runnerRequestId));
    expect(ids.every((id) => id > 0)).toBe(true);
    expect((await acquire(session, [ids[0], 5])).json).toEqual({ count: 1, value: [ids[0]] });
    expect(states()).toEqual({ one: 'assigned', two: 'available' });
    const assigned = await session.poll({ lastMessageId: offered.id });
    expect(assigned.entries).toMatchObject([{ messageType: 'JobAssigned', runnerRequestId: ids[0] }]);
    expect(assigned.statistics).toMatchObject({ totalAvailableJobs: 1, totalAcquiredJobs: 1, totalAssignedJobs: 1 });
  });

  test('are offered as long as nobody acquires them, also in the next session', async () => {
    const session = await listening('linux', 10);
    expect((await acquirable()).status).toBe(204);
    github.queueJob({ labels: ['linux'] });
    const { id } = await session.poll();
    await session.acknowledge(id);
    await service.service('DELETE', `${SCALE_SETS}/1/sessions/${session.id}`);
    const next = await openSession(service, 1);
    expect(next.statistics.totalAvailableJobs).toBe(1);
    const { json } = await acquirable();
    expect(json).toMatchObject({ count: 1, value: [{ messageType: 'JobAvailable', requestLabels: ['linux'] }] });
    const [{ runnerRequestId } = { runnerRequestId: 0 }] = json.value as { runnerRequestId: number }[];
    expect((await acquire(next, [runnerRequestId])).json.count).toBe(1);
  });

  test('are acquired with the token of the queue, not with the admin token', async () => {
    const session = await listening('linux', 10);
    expect((await acquire(session, [], service.admin)).status).toBe(401);
    github.expireTokens('queue');
    expect((await acquire(session, [])).status).toBe(401);
  });

  test('are acquired by a list of integers', async () => {
    const session = await listening('linux', 10);
    expect((await acquire(session, { ids: [] })).status).toBe(400);
    expect((await acquire(session, ['1'])).status).toBe(400);
  });
});

test('events tell the life of a job in order', async () => {
  const events: GitHubEvent[] = [];
  const stop = github.on((event) => events.push(event));
  await listening('linux', 10);
  const { machine } = await idleRunner('linux-1');
  github.queueJob({ labels: ['linux'], seconds: 1 });
  await expect.poll(() => machine.state).toBe('running');
  clock.advance(1000);
  await github.until(() => github.jobs()[0]?.state === 'completed');
  stop();
  github.queueJob({ labels: ['linux'] });
  expect(events.map(({ type, change }) => `${type} ${change}`)).toEqual([
    'scale-set created',
    'session opened',
    'runner registered',
    'runner online',
    'job queued',
    'job assigned',
    'job started',
    'runner busy',
    'runner gone',
    'job completed',
  ]);
});
