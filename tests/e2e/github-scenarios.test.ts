import { expect, test, vi } from 'vitest';
import { type EmbeddedDaemon, type EmbeddedWorld, startEmbeddedWorld } from './support/embedded.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: 6 });

const phaseOf = ({ reconciler }: EmbeddedDaemon): string | undefined => reconciler.scaleSets()[0]?.phase;
const listens = (daemon: EmbeddedDaemon) => eventually('it listens', () => phaseOf(daemon) === 'listening');

/** Queues jobs. @returns waits until they have run, each once, and nothing of them is left */
function queue({ github, machines }: EmbeddedWorld, count = 1): () => Promise<void> {
  const queued = github.queueJobs(Array.from({ length: count }, () => ({ labels: ['linux'], seconds: 10 })));
  const ids = new Set(queued.map(({ id }) => id));
  const jobs = () => github.jobs().filter(({ id }) => ids.has(id));
  return async () => {
    await eventually('the jobs have ended', () => jobs().every(({ state }) => state === 'completed'));
    expect(jobs().map(({ result, requeued }) => [result, requeued])).toEqual(
      Array.from({ length: count }, () => ['succeeded', 0]),
    );
    await eventually('no machine and no registration is left', () => machines.size + github.runners().length === 0);
  };
}

test.concurrent.each(['direct', 'acquire'] as const)(
  'scenario 3: jobs go from the queue to their end, and nothing of them is left (%s)',
  async (personality) => {
    const world = await startEmbeddedWorld({ github: { personality } });
    const daemon = world.start();
    await listens(daemon);
    await queue(world, 6)();
    expect(world.made).toBe(6);
    await daemon.stop();
    expect([world.github.sessions(), world.github.failures]).toEqual([[], []]);
  },
);

test.concurrent('scenario 4: queue tokens that end again and again cost no job', async () => {
  const world = await startEmbeddedWorld({ github: { queueTokenMs: 15_000 } });
  const daemon = world.start();
  await listens(daemon);
  const done = queue(world, 6);
  await done();
  await eventually('it was renewed', () => (world.github.counts.get('refresh-session') ?? 0) > 1);
  expect(phaseOf(daemon)).toBe('listening');
  await daemon.stop();
});

test.concurrent('scenario 5: it stands by while somebody else has the session, and serves when that one is gone', async () => {
  const world = await startEmbeddedWorld();
  const { github, machines } = world;
  const { id } = github.addScaleSet({ name: 'linux' });
  const release = github.holdSession(id, 'somebody');
  const daemon = world.start();
  const done = queue(world);
  await eventually('it has tried three times', () => (github.counts.get('create-session') ?? 0) >= 3);
  expect(phaseOf(daemon)).toBe('waiting_for_session');
  expect([machines.size, github.runners()]).toEqual([0, []]);
  release();
  await done();
  expect(github.scaleSets()).toHaveLength(1);
  await daemon.stop();
});

test.concurrent('scenario 5: a scale set that GitHub has removed is created again, and its jobs run', async () => {
  const world = await startEmbeddedWorld();
  const { github } = world;
  const daemon = world.start();
  await listens(daemon);
  const [before] = github.scaleSets();
  github.purgeScaleSet(before?.id ?? 0);
  await eventually('there is another one', () => github.sessions().length === 1 && phaseOf(daemon) === 'listening');
  expect(github.scaleSets()).toMatchObject([{ name: 'linux', labels: ['linux'] }]);
  expect(github.scaleSets()[0]?.id).not.toBe(before?.id);
  await queue(world)();
  await daemon.stop();
});

test.concurrent('scenario 6: a restart goes on at once, a killed daemon is waited for, and neither costs a job', async () => {
  const world = await startEmbeddedWorld({ github: { sessionExpiryMs: 120_000 } });
  const { github } = world;
  const first = world.start();
  await listens(first);
  const done = queue(world, 2);
  await eventually('they run', () => github.jobs().every(({ state }) => state === 'running'));
  await first.stop();
  expect(github.sessions()).toEqual([]);
  const second = world.start();
  await listens(second);
  expect(github.counts.get('create-session')).toBe(2);
  await done();

  const more = queue(world, 2);
  await eventually('two more run', () => github.jobs().every(({ state }) => state !== 'queued'));
  await second.kill();
  expect(github.sessions()).toHaveLength(1);
  const third = world.start('other');
  await listens(third);
  expect(github.counts.get('create-session')).toBeGreaterThan(3);
  await more();
  await third.stop();
});

test.concurrent('scenario 8: a message that cannot be acknowledged comes again, and makes no second runner', async () => {
  const world = await startEmbeddedWorld();
  const { github } = world;
  const first = world.start();
  await listens(first);
  github.setFault({ operation: 'delete-message', kind: 'status', status: 500, rate: 1 });
  const done = queue(world, 2);
  await eventually('they run', () => github.jobs().every(({ state }) => state === 'running'));
  await first.stop();
  github.clearFaults();
  const second = world.start();
  await listens(second);
  await done();
  expect(world.made).toBe(2);
  await second.stop();
});

test.concurrent('scenario 9: a paused scale set says that it has no room, and its jobs run when it is resumed', async () => {
  const world = await startEmbeddedWorld({ scaleSet: { minRunners: 1 } });
  const { github, machines } = world;
  const daemon = world.start();
  await eventually('its idle runner is there', () => github.runners().some(({ status }) => status === 'online'));
  daemon.reconciler.pause('linux');
  await eventually('it has said so', () => github.sessions()[0]?.capacity === 0);
  await eventually('its idle runner is gone', () => machines.size + github.runners().length === 0);
  const { id } = github.queueJob({ labels: ['linux'], seconds: 10 });
  const polls = github.counts.get('get-message') ?? 0;
  await eventually('it has polled on', () => (github.counts.get('get-message') ?? 0) > polls + 2);
  expect([github.jobs()[0]?.state, machines.size]).toEqual(['queued', 0]);
  daemon.reconciler.resume('linux');
  await eventually('the job has run', () => github.jobs().find((job) => job.id === id)?.result === 'succeeded');
  expect(github.sessions()).toMatchObject([{ capacity: 4 }]);
  await daemon.stop();
});

test.concurrent('scenario 11: an idle runner is given back, a busy one never, and a lost answer costs a name', async () => {
  const world = await startEmbeddedWorld();
  const { github, machines } = world;
  const daemon = world.start();
  await listens(daemon);
  github.setFault({ operation: 'jit-config', kind: 'lost' });
  github.queueJobs([1, 2].map(() => ({ labels: ['linux'], seconds: 600 })));
  await eventually('one runs', () => github.jobs().some(({ state }) => state === 'running'));
  const waiting = github.jobs().find(({ state }) => state === 'assigned');
  if (waiting) github.cancelJob(waiting.id);
  await eventually('only busy runners are left', () => github.runners().every(({ busy }) => busy));
  const busy = github.runners().map(({ name }) => name);
  expect([...machines.keys()]).toEqual(expect.arrayContaining(busy));
  for (const { id } of github.jobs().filter(({ state }) => state === 'running')) github.finishJob(id, 'succeeded');
  await eventually('nothing is left', () => machines.size + github.runners().length === 0);
  await daemon.stop();
});

test.concurrent('runners are removed by their own ids only, although the listing has ids that are those of others', async () => {
  const world = await startEmbeddedWorld({ scaleSet: { minRunners: 3 }, github: { restRunnerIdOffset: 1 } });
  const { github, machines } = world;
  const first = world.start();
  await eventually('three wait', () => github.runners().filter(({ calling }) => calling).length === 3);
  const { id } = github.queueJob({ labels: ['linux'], seconds: 600 });
  await eventually('one has a job', () => github.runners().some(({ busy }) => busy));
  await first.stop();
  const busy = github.runners().find((runner) => runner.busy)?.name;
  const second = world.start();
  await listens(second);
  second.reconciler.pause('linux');
  await eventually('the idle ones are gone', () => github.runners().length === 1);
  expect([github.runners()[0]?.name, github.jobs()[0]?.state]).toEqual([busy, 'running']);
  await eventually('their machines are gone', () => machines.size === 1);
  github.finishJob(id, 'succeeded');
  await eventually('nothing is left', () => machines.size + github.runners().length === 0);
  await second.stop();
});

test.concurrent('scenario 12: messages that say nonsense, and pages of a proxy, cost no job', async () => {
  const world = await startEmbeddedWorld();
  const { github } = world;
  const daemon = world.start();
  await listens(daemon);
  for (const special of ['unknown-entry', 'zero-statistics', 'null-statistics', 'unknown-message', 'duplicate']) {
    github.setFault({ operation: 'get-message', kind: 'special', special });
  }
  for (const kind of ['bom', 'text', 'empty', 'html'] as const) github.setFault({ operation: 'get-message', kind });
  await queue(world, 4)();
  expect(phaseOf(daemon)).toBe('listening');
  await daemon.stop();
  expect(github.failures).toEqual([]);
});

test.concurrent('minutes of nothing but 500s harm no runner, and it is back by itself', async () => {
  const world = await startEmbeddedWorld({ scaleSet: { minRunners: 1 }, github: { pollHoldMs: 5_000 } });
  const { github, machines } = world;
  const daemon = world.start();
  await eventually('its idle runner waits', () => github.runners().some(({ status }) => status === 'online'));
  const [idle] = machines.keys();
  github.setFault({ operation: '*', kind: 'status', status: 500, rate: 1 });
  await eventually('it has noticed', () => phaseOf(daemon) === 'github_unreachable');
  const tried = github.counts.get('create-session') ?? 0;
  await eventually('it has tried four times', () => (github.counts.get('create-session') ?? 0) >= tried + 4);
  expect([...machines.keys()]).toEqual([idle]);
  github.clearFaults();
  github.queueJob({ labels: ['linux'], seconds: 10 });
  await eventually('a job has run', () => github.jobs()[0]?.state === 'completed');
  expect(github.jobs()).toMatchObject([{ result: 'succeeded', runnerName: idle }]);
  await daemon.stop();
});
