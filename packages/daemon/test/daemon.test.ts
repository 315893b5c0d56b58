import { EventAction, ScaleSetPhase } from '@rungar/daemon/client';
import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { openWorld, type World } from './world.js';

const living = (world: World) =>
  world.ec2.instances().filter((instance) => instance.state === 'pending' || instance.state === 'running');

const idle = (world: World): Promise<void> =>
  world.github.until(() => world.github.runners().some((runner) => runner.status === 'online' && !runner.busy));

test('a job queued on GitHub gets a machine, runs on it, and leaves nothing behind', async () => {
  const world = await openWorld();
  const { github, ec2 } = world;
  const stranger = ec2.addForeignInstance({ tags: { Name: 'database' } });
  const daemon = await world.start();
  await github.until(() => github.sessions().length === 1);
  const job = github.queueJob({ labels: ['linux'], seconds: 0.1, name: 'unit tests' });

  const told: [EventAction, string][] = [];
  for await (const { events } of world.client().listEvents({ scaleSet: 'linux', follow: true })) {
    told.push(...events.map(({ action, attributes }): [EventAction, string] => [action, attributes.reason ?? '']));
    if (told.some(([action]) => action === EventAction.REMOVED)) break;
  }
  expect(told).toEqual([
    [EventAction.CREATED, ''],
    [EventAction.CONNECTED, ''],
    [EventAction.JOB_STARTED, ''],
    [EventAction.REMOVED, 'job_completed'],
  ]);
  expect(github.jobs()).toMatchObject([{ id: job.id, state: 'completed', result: 'succeeded' }]);
  await eventually(() => expect(living(world).map(({ id }) => id)).toEqual([stranger.id]));
  expect(github.runners()).toEqual([]);

  await eventually(async () => {
    const { scaleSets, providers, runners, daemon: facts } = await world.client().getStatus({});
    expect(facts).toMatchObject({ version: '1.2.3', github: { scope: 'organisation', error: '' }, eventsError: '' });
    expect(scaleSets).toMatchObject([{ name: 'linux', phase: ScaleSetPhase.LISTENING, desiredRunners: 0 }]);
    expect(providers).toMatchObject([{ name: 'cloud', type: 'aws', reachable: true, runnerCount: 0 }]);
    expect(runners).toEqual([]);
  });
  expect((await world.client().listScaleSets({})).scaleSets).toMatchObject([
    { name: 'linux', github: { found: true } },
  ]);

  const metrics = await (await fetch(`http://${daemon.metricsAddress}/metrics`)).text();
  expect(metrics).toContain('rungar_jobs_completed_total{scale_set="linux",result="succeeded"} 1\n');
  expect(metrics).toContain('rungar_runners_created_total{scale_set="linux",provider="cloud"} 1\n');
  expect(metrics).toMatch(/rungar_github_requests_total\{code="200"\} [1-9]/);

  await daemon.stop();
  expect(github.sessions()).toEqual([]);
  expect(github.failures).toEqual([]);
  expect((await world.events()).map(({ action }) => action)).toEqual([
    'created',
    'connected',
    'job_started',
    'removed',
  ]);
  expect(world.log()).not.toMatch(/-----BEGIN|Bearer|ghs_/);
});

test('a daemon that starts again adopts the runner that the last one left', async () => {
  const world = await openWorld(['min_runners: 1']);
  const first = await world.start();
  await idle(world);
  const [before] = living(world);
  await first.stop();
  expect(living(world)).toHaveLength(1);

  await world.start();
  await eventually(async () => {
    const { runners } = await world.client().listRunners({});
    expect(runners).toMatchObject([{ name: before?.runnerName, scaleSet: 'linux', provider: 'cloud' }]);
    expect((await world.events()).some(({ action }) => action === 'adopted')).toBe(true);
  });
  expect(living(world).map(({ id }) => id)).toEqual([before?.id]);
});

test('pausing gives idle runners back, and resuming makes them again', async () => {
  const world = await openWorld(['min_runners: 1']);
  await world.start();
  await idle(world);
  expect((await world.client().pauseScaleSet({ name: 'linux' })).paused).toBe(true);
  await eventually(() => expect(living(world)).toEqual([]));
  expect((await world.client().resumeScaleSet({ name: 'linux' })).paused).toBe(false);
  await idle(world);
  expect(living(world)).toHaveLength(1);
});

test('a second daemon on the same file is refused, and the first goes on', async () => {
  const world = await openWorld();
  await world.start();
  await expect(world.start()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(world.client().getStatus({})).resolves.toMatchObject({ scaleSets: [{ name: 'linux' }] });
});

test('EC2 that refuses everything leaves the daemon up, the reason in the status, and no registration', async () => {
  const world = await openWorld(['min_runners: 1']);
  world.ec2.deny('RunInstances');
  await world.start();
  await eventually(async () => {
    const { providers } = await world.client().getStatus({});
    expect(providers[0]?.scaleSets[0]).toMatchObject({ scaleSet: 'linux', refusals: 1 });
    expect(providers[0]?.scaleSets[0]?.refusal).toMatch(/UnauthorizedOperation|not authorized/i);
    expect(providers[0]?.scaleSets[0]?.backoffFor).toBeDefined();
    expect(world.github.runners()).toEqual([]);
  });
});
