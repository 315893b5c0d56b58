import { manualClock } from '@rungar/emulators';
import { type GitHubEmulator, type GitHubEmulatorOptions, startGitHubEmulator } from '@rungar/emulators/github';
import {
  createRedactor,
  type JobCompleted,
  type JobMessageHandler,
  type JobStarted,
  type MessageSession,
  type ScaleSetRecord,
  type ScaleSetService,
  Secret,
} from '@rungar/model';
import { afterEach, describe, expect, test } from 'vitest';
import type { Credentials } from '../src/index.js';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface World {
  readonly github: GitHubEmulator;
  readonly client: ScaleSetService;
}

/** An emulated GitHub that answers polls soon, and a client of it that does not wait between repetitions. */
async function world(options: GitHubEmulatorOptions = {}, as: 'token' | 'app' = 'token'): Promise<World> {
  const github = await startGitHubEmulator({ pollHoldMs: 50, ...options });
  closers.push(() => github.close());
  return { github, client: await clientFor(github, as) };
}

async function clientFor(github: GitHubEmulator, as: 'token' | 'app' = 'token'): Promise<ScaleSetService> {
  const client = clientOf(github.configUrl, { credentials: await credentialsFor(github, as), clock: quickClock() });
  closers.push(() => client.close());
  return client;
}

async function credentialsFor(github: GitHubEmulator, as: 'token' | 'app'): Promise<Credentials> {
  if (as === 'token') return { kind: 'token', token: new Secret(github.createToken()) };
  const { clientId, installationId, privateKey } = await github.createApp();
  return { kind: 'app', clientId, installationId, privateKey: new Secret(privateKey) };
}

/** Listens until `stop`, taking down what it hears. */
function listenTo(session: MessageSession, capacity: () => number = () => 10) {
  const assigned: number[] = [];
  const started: JobStarted[] = [];
  const completed: JobCompleted[] = [];
  const waiting: { check: () => boolean; resolve: () => void }[] = [];
  const ring = (): void => {
    for (const { check, resolve } of waiting) if (check()) resolve();
  };
  const handler: JobMessageHandler = {
    onStatistics({ assignedJobs }) {
      assigned.push(assignedJobs);
      ring();
    },
    onJobStarted(job) {
      started.push(job);
      ring();
    },
    onJobCompleted(job) {
      completed.push(job);
      ring();
    },
  };
  const stopping = new AbortController();
  const ended = session.listen(handler, { signal: stopping.signal, capacity });
  ended.catch(() => {});
  return {
    assigned,
    started,
    completed,
    ended,
    heard: (check: () => boolean) =>
      Promise.race([ended, new Promise<void>((resolve) => (check() ? resolve() : waiting.push({ check, resolve })))]),
    async stop() {
      stopping.abort(new Error('stopped'));
      await ended.catch(() => {});
      await session.close();
    },
  };
}

const scaleSetOf = async ({ client }: World, name = 'linux'): Promise<ScaleSetRecord> =>
  (await client.findScaleSet(name, 'Default', call)) ?? (await client.createScaleSet(name, 'Default', [name], call));

describe('scenarios 1 and 2: a cold start', () => {
  test.each(['token', 'app'] as const)(
    'scenario 1: with credentials of the kind %s creates the scale set and opens its session',
    async (as) => {
      const here = await world({}, as);
      const scaleSet = await scaleSetOf(here);
      expect(scaleSet).toMatchObject({ name: 'linux', runnerGroupId: 1, labels: ['linux'] });
      const session = await here.client.openSession(scaleSet, 'rungar-host-linux', call);
      expect(here.github.sessions()).toMatchObject([{ scaleSet: 'linux', ownerName: 'rungar-host-linux' }]);
      await session.close();
      expect(here.github.sessions()).toEqual([]);
      expect(here.github.counts.get('find-runner-group') ?? 0).toBe(0);
      expect(here.github.failures).toEqual([]);
    },
  );

  test('scenario 2: uses the scale set that is there', async () => {
    const here = await world();
    const { id } = here.github.addScaleSet({ name: 'Linux', labels: ['linux', 'x64'] });
    expect(await scaleSetOf(here)).toMatchObject({ id, labels: ['linux', 'x64'] });
    expect(here.github.scaleSets()).toHaveLength(1);
  });

  test('scenario 2: finds another runner group by its name, and leaves a scale set of that name elsewhere alone', async () => {
    const { github, client } = await world({ runnerGroups: ['builders'] });
    github.addScaleSet({ name: 'linux' });
    expect(await client.findScaleSet('linux', 'builders', call)).toBeUndefined();
    const created = await client.createScaleSet('linux', 'builders', ['linux'], call);
    expect(created.runnerGroupId).toBe(2);
    expect(github.scaleSets().map(({ runnerGroup }) => runnerGroup)).toEqual(['Default', 'builders']);
    await expect(client.findScaleSet('linux', 'painters', call)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('scenario 1: a way in is renewed a minute before it ends, and a renewal that fails leaves the old one', async () => {
    const github = await startGitHubEmulator();
    closers.push(() => github.close());
    const clock = quickClock();
    const client = clientOf(github.configUrl, { credentials: await credentialsFor(github, 'app'), clock });
    closers.push(() => client.close());
    const pass = async (seconds: number): Promise<void> => {
      for (let left = seconds; left > 0; left -= 10) await clock.sleep(10_000);
    };
    const ways = () => github.counts.get('runner-registration') ?? 0;
    await client.findRunner('a', call);
    await pass(3_500);
    await client.findRunner('a', call);
    expect(ways()).toBe(1);
    github.setFault({ operation: 'registration-token', kind: 'status', status: 500, rate: 1 });
    await pass(50);
    await client.findRunner('a', call);
    expect(ways()).toBe(1);
    github.clearFaults();
    await pass(20);
    await client.findRunner('a', call);
    expect(ways()).toBe(2);
  });

  test('creating what is there already gives what is there', async () => {
    const { github, client } = await world();
    const { id } = github.addScaleSet({ name: 'linux' });
    expect(await client.createScaleSet('linux', 'Default', [], call)).toMatchObject({ id });
    expect(github.scaleSets()).toHaveLength(1);
  });
});

describe('scenarios 3, 7, 9 and 10: a job', () => {
  test.each(['direct', 'acquire'] as const)('scenario 3: goes from the queue to its end (%s)', async (personality) => {
    const here = await world({ personality });
    const { github, client } = here;
    const scaleSet = await scaleSetOf(here);
    const listening = listenTo(await client.openSession(scaleSet, 'me', call));
    const { id } = github.queueJob({ labels: ['linux'], seconds: 0.05, repository: 'acme/web' });
    await listening.heard(() => listening.assigned.includes(1));
    const registration = await client.createJitConfig(scaleSet, 'linux-0a1b2c3d', call);
    expect(await client.findRunner('linux-0a1b2c3d', call)).toEqual({
      id: registration.runnerId,
      name: 'linux-0a1b2c3d',
      scaleSetId: scaleSet.id,
    });
    expect((await client.runnerStatuses(call)).runners.get('linux-0a1b2c3d')?.status).toBe('offline');
    github.startRunner(registration.jitConfig.reveal());
    await listening.heard(() => listening.completed.length > 0);
    expect(listening.started).toMatchObject([
      { jobId: id, runnerName: 'linux-0a1b2c3d', runnerId: registration.runnerId, repository: 'web', owner: 'acme' },
    ]);
    expect(listening.completed).toMatchObject([{ jobId: id, result: 'succeeded', runnerName: 'linux-0a1b2c3d' }]);
    await listening.heard(() => listening.assigned.at(-1) === 0);
    expect(await client.findRunner('linux-0a1b2c3d', call)).toBeUndefined();
    await listening.stop();
    expect(github.failures).toEqual([]);
  });

  test('scenario 7: of a hundred and twenty counts, though no message holds so many', async () => {
    const here = await world();
    const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call), () => 200);
    await listening.heard(() => listening.assigned.length > 1);
    expect(here.github.sessions()).toMatchObject([{ capacity: 200 }]);
    here.github.queueJobs(Array.from({ length: 120 }, () => ({ labels: ['linux'] })));
    await listening.heard(() => listening.assigned.includes(120));
    await listening.heard(() => here.github.counts.get('delete-message') === 3);
    expect(listening.assigned.at(-1)).toBe(120);
    await listening.stop();
  });

  test('scenario 10: of three on offer in one message is acquired with the others in one call, by the token of the queue', async () => {
    const here = await world({ personality: 'acquire' });
    const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call));
    await listening.heard(() => listening.assigned.length > 1);
    here.github.queueJobs(Array.from({ length: 3 }, () => ({ labels: ['linux'] })));
    await listening.heard(() => listening.assigned.includes(3));
    await listening.stop();
    const sent = (operation: string) => here.github.requests.filter((request) => request.operation === operation);
    const [acquisition, ...more] = sent('acquire-jobs');
    expect(more).toEqual([]);
    expect(JSON.parse(acquisition?.body ?? '')).toHaveLength(3);
    expect(acquisition?.headers.authorization).toBe(sent('get-message')[0]?.headers.authorization);
    expect(here.github.counts.get('acquirable-jobs')).toBeUndefined();
  });

  test('scenario 10: offered before the session opened is acquired', async () => {
    const here = await world({ personality: 'acquire' });
    const scaleSet = await scaleSetOf(here);
    here.github.queueJob({ labels: ['linux'] });
    const first = await here.client.openSession(scaleSet, 'me', call);
    const listening = listenTo(first);
    await listening.heard(() => listening.assigned.includes(1));
    await listening.stop();
  });

  test('scenario 9: is not given to a paused scale set, and is when it goes on', async () => {
    const here = await world();
    let capacity = 0;
    const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call), () => capacity);
    await listening.heard(() => listening.assigned.length > 1);
    expect(here.github.sessions()).toMatchObject([{ capacity: 0 }]);
    const { id } = here.github.queueJob({ labels: ['linux'] });
    const polls = listening.assigned.length;
    await listening.heard(() => listening.assigned.length > polls + 2);
    expect(here.github.jobs().find((job) => job.id === id)?.state).toBe('queued');
    capacity = 5;
    await listening.heard(() => listening.assigned.includes(1));
    expect(here.github.sessions()).toMatchObject([{ capacity: 5 }]);
    await listening.stop();
  });
});

describe('scenarios 4, 5, 6, 8 and 12: a session', () => {
  test('scenario 4: whose queue token is refused goes on with a new one, and loses nothing', async () => {
    const here = await world();
    const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call));
    await listening.heard(() => listening.assigned.length > 1);
    here.github.expireTokens('queue');
    here.github.queueJob({ labels: ['linux'] });
    await listening.heard(() => listening.assigned.includes(1));
    expect(here.github.counts.get('refresh-session')).toBe(1);
    await listening.stop();
  });

  test('scenario 4: whose queue token is refused twice is lost, after one renewal', async () => {
    const here = await world();
    const session = await here.client.openSession(await scaleSetOf(here), 'me', call);
    here.github.setFault({ operation: 'get-message', kind: 'status', status: 401, times: 2 });
    const listening = listenTo(session);
    await expect(listening.ended).rejects.toMatchObject({ message: expect.stringContaining('answered 401') });
    expect(here.github.counts.get('refresh-session')).toBe(1);
    await session.close();
    expect(here.github.sessions()).toEqual([]);
  });

  test('whose admin token is refused is closed with a new one', async () => {
    const here = await world();
    const session = await here.client.openSession(await scaleSetOf(here), 'me', call);
    here.github.expireTokens('admin');
    await session.close();
    expect(here.github.sessions()).toEqual([]);
  });

  test('that somebody else holds is a conflict until it is free', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    const release = here.github.holdSession(scaleSet.id, 'somebody');
    const error = await here.client.openSession(scaleSet, 'me', call).catch((caught: unknown) => caught);
    expect(here.client.refusalOf(error)).toBe('conflict');
    expect(error).toMatchObject({ code: 'busy' });
    release();
    await (await here.client.openSession(scaleSet, 'me', call)).close();
  });

  test('scenario 6: is deleted by a listener that stops, so that the next one need not wait', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    await listenTo(await here.client.openSession(scaleSet, 'me', call)).stop();
    expect(here.github.sessions()).toEqual([]);
    const restarted = await clientFor(here.github);
    await (await restarted.openSession(scaleSet, 'me', call)).close();
    expect(here.github.counts.get('create-session')).toBe(2);
  });

  test('scenarios 5 and 6: that a killed listener left keeps others out until it expires', async () => {
    const time = manualClock(Date.now());
    const here = await world({ clock: time });
    const scaleSet = await scaleSetOf(here);
    await here.client.openSession(scaleSet, 'killed', call);
    for (let attempt = 0; attempt < 3; attempt++) {
      const error = await here.client.openSession(scaleSet, 'me', call).catch((caught: unknown) => caught);
      expect(here.client.refusalOf(error)).toBe('conflict');
    }
    time.advance(60_000);
    await (await here.client.openSession(scaleSet, 'me', call)).close();
  });

  test('without a queue is given back, so that the next try is no conflict', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    here.github.setFault({ operation: 'create-session', kind: 'special', special: 'empty-queue-url' });
    const error = await here.client.openSession(scaleSet, 'me', call).catch((caught: unknown) => caught);
    expect(here.client.refusalOf(error)).toBe('no_answer');
    await (await here.client.openSession(scaleSet, 'me', call)).close();
  });

  test('scenario 5: on a scale set that is gone is told apart, and the scale set is created again', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    here.github.purgeScaleSet(scaleSet.id);
    const error = await here.client.openSession(scaleSet, 'me', call).catch((caught: unknown) => caught);
    expect(here.client.refusalOf(error)).toBe('scale_set_gone');
    expect(await here.client.findScaleSet('linux', 'Default', call)).toBeUndefined();
    const again = await scaleSetOf(here);
    expect(again.id).not.toBe(scaleSet.id);
    await (await here.client.openSession(again, 'me', call)).close();
  });

  test('scenario 8: gets again what another one did not acknowledge, and counts it once', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    here.github.setFault({ operation: 'delete-message', kind: 'status', status: 500, times: 2 });
    const first = listenTo(await here.client.openSession(scaleSet, 'me', call));
    here.github.queueJob({ labels: ['linux'] });
    await first.heard(() => first.assigned.includes(1));
    await first.heard(() => here.github.counts.get('delete-message') === 2);
    await first.stop();
    const deleted = 2;
    const second = listenTo(await here.client.openSession(scaleSet, 'me', call));
    await second.heard(() => (here.github.counts.get('delete-message') ?? 0) > deleted);
    expect(second.assigned.at(-1)).toBe(1);
    await second.stop();
  });

  test.each(['reset', 'status', 'text', 'html', 'lost', 'empty', 'bom'] as const)(
    'scenario 12: lives through a poll that meets %s',
    async (kind) => {
      const here = await world();
      const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call));
      here.github.setFault({ operation: 'get-message', kind });
      here.github.queueJob({ labels: ['linux'] });
      await listening.heard(() => listening.assigned.includes(1));
      await listening.stop();
      expect(here.github.sessions()).toEqual([]);
    },
  );
});

describe('scenario 12: a message', () => {
  test.each(['zero-statistics', 'null-statistics', 'unknown-entry', 'duplicate'])(
    'with the fault %s loses no job, and the right count comes through',
    async (special) => {
      const here = await world();
      const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call));
      await listening.heard(() => listening.assigned.length > 1);
      here.github.setFault({ operation: 'get-message', kind: 'special', special });
      here.github.queueJobs([{ labels: ['linux'] }, { labels: ['linux'] }]);
      await here.github.until(() => here.github.jobs().every(({ state }) => state === 'assigned'));
      const polls = listening.assigned.length;
      await listening.heard(() => listening.assigned.length > polls + 2);
      here.github.queueJob({ labels: ['linux'] });
      await listening.heard(() => listening.assigned.at(-1) === 3);
      expect(listening.assigned.slice(listening.assigned.findIndex((count) => count > 0))).not.toContain(0);
      await listening.stop();
    },
  );

  test('of an unknown type is acknowledged, and what it may have said is asked for', async () => {
    const here = await world();
    const listening = listenTo(await here.client.openSession(await scaleSetOf(here), 'me', call));
    await listening.heard(() => listening.assigned.length > 1);
    here.github.setFault({ operation: 'get-message', kind: 'special', special: 'unknown-message' });
    here.github.queueJob({ labels: ['linux'] });
    await listening.heard(() => listening.assigned.at(-1) === 1);
    expect(here.github.counts.get('delete-message')).toBe(1);
    expect(here.github.counts.get('get-scale-set')).toBe(1);
    await listening.stop();
  });
});

describe('a scale set', () => {
  test('is deleted, also when it is gone already', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    await here.client.deleteScaleSet(scaleSet.id, call);
    expect(await here.client.findScaleSet('linux', 'Default', call)).toBeUndefined();
    await here.client.deleteScaleSet(scaleSet.id, call);
  });
});

describe('scenario 11: a registration', () => {
  test('is removed when idle or unknown, and stays with a job', async () => {
    const here = await world();
    const { github, client } = here;
    const scaleSet = await scaleSetOf(here);
    const listening = listenTo(await client.openSession(scaleSet, 'me', call));
    github.queueJob({ labels: ['linux'], seconds: 30 });
    await listening.heard(() => listening.assigned.includes(1));
    const working = await client.createJitConfig(scaleSet, 'linux-00000001', call);
    github.startRunner(working.jitConfig.reveal());
    await listening.heard(() => listening.started.length > 0);
    const idle = await client.createJitConfig(scaleSet, 'linux-00000002', call);
    const { runners } = await client.runnerStatuses({ ...call, begunAfter: 0 });
    expect(runners.get('linux-00000001')).toEqual({
      ...{ id: working.runnerId, status: 'busy' },
      version: github.settings.runnerVersion,
    });

    await expect(client.removeRunner(working.runnerId, call)).rejects.toMatchObject({ code: 'busy' });
    await client.removeRunner(idle.runnerId, call);
    await client.removeRunner(idle.runnerId, call);
    await client.removeRunner(999_999, call);
    expect(github.runners().map(({ name }) => name)).toEqual(['linux-00000001']);
    await listening.stop();
  });

  test('of a name that is taken is refused as busy', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    await here.client.createJitConfig(scaleSet, 'linux-00000001', call);
    await expect(here.client.createJitConfig(scaleSet, 'linux-00000001', call)).rejects.toMatchObject({
      code: 'busy',
      message: 'a runner "linux-00000001" is registered already',
    });
  });

  test('whose answer was lost meets its own name, and is found and removed by it', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    here.github.setFault({ operation: 'jit-config', kind: 'lost' });
    await expect(here.client.createJitConfig(scaleSet, 'linux-00000001', call)).rejects.toMatchObject({ code: 'busy' });
    const own = await here.client.findRunner('linux-00000001', call);
    expect(own?.scaleSetId).toBe(scaleSet.id);
    await here.client.removeRunner(own?.id ?? 0, call);
    expect(here.github.runners()).toEqual([]);
  });

  test('is one of many: all pages of the listing are read', async () => {
    const here = await world();
    const scaleSet = await scaleSetOf(here);
    const names = Array.from({ length: 230 }, (_, n) => `linux-${n.toString(16).padStart(8, '0')}`);
    await Promise.all(names.map((name) => here.client.createJitConfig(scaleSet, name, call)));
    const statuses = await here.client.runnerStatuses(call);
    expect(statuses.pages).toBe(3);
    expect([...statuses.runners.keys()].sort()).toEqual(names);
  });
});

test('an error that echoes the whole request shows no secret', async () => {
  const github = await startGitHubEmulator({ pollHoldMs: 50 });
  closers.push(() => github.close());
  const redactor = createRedactor();
  const credentials = await credentialsFor(github, 'app');
  const client = clientOf(github.configUrl, { credentials, redactor });
  closers.push(() => client.close());
  await client.findRunner('a', call);
  const sent = github.requests.flatMap(({ headers }) => headers.authorization ?? []);
  expect(sent.length).toBeGreaterThan(3);
  const echo = sent.join(' ');
  github.setFault({ operation: 'find-agent', kind: 'text', status: 400, body: echo });
  const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
  const text = error instanceof Error ? error.message : '';
  expect(text).toContain('REDACTED');
  for (const header of sent) expect(text).not.toContain(header.split(' ')[1]);
});
