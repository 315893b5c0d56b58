import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installationOf, LABEL } from '@rungar/labels';
import { expect, test, vi } from 'vitest';
import type { EventAnswer, StatusAnswer } from '../../packages/cli/src/control/answers.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { rungar, startRungar, startServe } from './support/rungar.js';
import { startWorld, type World } from './support/world.js';

// These tests wait for the daemon's own pauses, and do so together.
vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: 8 });

test.concurrent('a queued job gets a machine of its own, runs, and leaves nothing; no secret shows anywhere', async () => {
  const world = await startWorld();
  const { github, ec2, folder } = world;
  const config = await world.writeConfig({ extra: 'log_level: debug\nlog_format: json' });
  const socket = join(folder, 's');
  const daemon = await startServe(config);
  const follower = startRungar(['events', '--follow', '--json', '--socket', socket]);

  const [job] = github.queueJobs([{ labels: ['small'], seconds: 4 }]);
  await eventually('the job runs', () => github.jobs()[0]?.state === 'running', daemon.ended);
  await eventually(
    'the daemon knows',
    async () => (await world.status()).runners?.[0]?.job !== undefined,
    daemon.ended,
  );
  const json = await rungar(['status', '--json', '--socket', socket]);
  expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 0, stderr: '' });
  const during = JSON.parse(json.stdout) as StatusAnswer;
  expect(during.runners).toHaveLength(1);
  const runner = during.runners?.[0];
  expect(runner).toMatchObject({
    scale_set: 'small',
    provider: 'cloud',
    state: 'RUNNER_STATE_BUSY',
    machine_state: 'MACHINE_STATE_RUNNING',
    job: { id: job?.id, repository: 'acme/demo' },
  });
  // A listing of GitHub's that is older than the runner says nothing about it.
  expect([undefined, 'RUNNER_GITHUB_STATUS_BUSY']).toContain(runner?.github_status);
  expect(during.scale_sets?.[0]).toMatchObject({
    name: 'small',
    phase: 'SCALE_SET_PHASE_LISTENING',
    runner_counts: { busy: 1 },
    desired_runners: 1,
  });
  const statusInWords = await rungar(['status', '--socket', socket]);

  await eventually('the machine is gone', () => world.standing().length === 0, daemon.ended);
  await eventually('its end is told', () => follower.stdout().includes('EVENT_ACTION_REMOVED'), follower.ended);
  expect(github.jobs()[0]).toMatchObject({ result: 'succeeded', runnerName: runner?.name });
  expect(github.runners()).toEqual([]);
  await eventually('status knows', async () => (await world.status()).runners === undefined, daemon.ended);
  const after = await world.status();
  // What is zero is left out of the JSON.
  expect(after.scale_sets?.[0]).not.toHaveProperty('desired_runners');

  const followed = await follower.end('SIGINT');
  expect({ code: followed.code, stderr: followed.stderr }).toEqual({ code: 0, stderr: '' });
  const events = followed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EventAnswer);
  expect(events.map(({ action, name }) => [action, name])).toEqual([
    ['EVENT_ACTION_CREATED', runner?.name],
    ['EVENT_ACTION_CONNECTED', runner?.name],
    ['EVENT_ACTION_JOB_STARTED', runner?.name],
    ['EVENT_ACTION_REMOVED', runner?.name],
  ]);
  expect(events.at(-1)?.attributes).toMatchObject({ reason: 'job_completed' });
  const kept = await rungar(['events', '--json', '--socket', socket]);
  expect(kept.stdout).toBe(followed.stdout);
  const inWords = await rungar(['events', '--socket', socket]);
  expect(inWords.stdout.trim().split('\n')).toHaveLength(4);

  expect((await daemon.end('SIGTERM')).code).toBe(0);
  const shown = [daemon.stdout(), daemon.stderr(), followed.stdout, statusInWords.stdout, inWords.stdout].concat(
    JSON.stringify([during, after]),
    await readFile(join(folder, 'events.jsonl'), 'utf8'),
  );
  const secrets = [
    ...world.app.privateKey.split('\n').filter((line) => line.length > 20),
    ec2.credentials.secretAccessKey,
    ...jitConfigs(ec2.instances().map(({ userData }) => userData ?? '')),
    ...github.requests.flatMap(({ headers }) => headers.authorization?.split(' ').at(-1) ?? []),
  ];
  // An App's JWT, tokens of four kinds, the JIT configuration, the key's lines, the AWS key.
  expect(new Set(secrets).size).toBeGreaterThan(20);
  expect(secrets.filter((secret) => shown.some((text) => text.includes(secret)))).toEqual([]);
  expect([...github.failures, ...ec2.failures]).toEqual([]);
});

/** Long runs of base64 in user data: what a runner connects with. */
function jitConfigs(userData: readonly string[]): string[] {
  const found = userData.flatMap((text) => text.match(/[A-Za-z0-9+/=]{200,}/g) ?? []);
  expect(found).not.toEqual([]);
  return found;
}

const names = (world: World): string[] => world.standing().map(({ name }) => name);

async function eventsOf(world: World): Promise<EventAnswer[]> {
  const { stdout } = await rungar(['events', '--json', '--socket', join(world.folder, 's')]);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as EventAnswer);
}

const listening = async (world: World): Promise<boolean> =>
  (await world.status()).scale_sets?.every(({ phase }) => phase === 'SCALE_SET_PHASE_LISTENING') ?? false;

/** Machines that Rungar must not touch, however much they look like its own. */
function addForeignMachines({ ec2, github }: World): string[] {
  const ours = {
    [LABEL.managed]: 'true',
    [LABEL.installation]: installationOf(github.configUrl),
    [LABEL.scaleSet]: 'small',
    [LABEL.revision]: '000000000000',
  };
  const foreign: Readonly<Record<string, string>>[] = [
    { Name: 'database' },
    // Of another Rungar.
    { ...ours, Name: 'small-00000001', [LABEL.runner]: 'small-00000001', [LABEL.installation]: 'gh-of-a-neighbour' },
    // It says of itself that it is another: nobody knows whose it is.
    { ...ours, Name: 'small-00000002', [LABEL.runner]: 'small-0000ffff' },
    // Not managed.
    { ...ours, Name: 'small-00000003', [LABEL.runner]: 'small-00000003', [LABEL.managed]: 'false' },
  ];
  return foreign.map((tags) => ec2.addForeignInstance({ tags }).id);
}

test.concurrent('a daemon that was killed and started again adopts every runner and disturbs none', async () => {
  const world = await startWorld();
  const { github, ec2 } = world;
  const foreign = addForeignMachines(world);
  const own = (): string[] =>
    world
      .standing()
      .filter(({ id }) => !foreign.includes(id))
      .map(({ name }) => name)
      .sort();
  const config = await world.writeConfig({
    scaleSets: '- {name: small, min_runners: 1, max_runners: 4, providers: [cloud]}',
  });
  const first = await startServe(config);
  github.queueJobs([1, 2].map(() => ({ labels: ['small'], seconds: 20 })));
  await eventually('two jobs run and one runner waits', () => {
    const runners = github.runners().filter(({ status }) => status === 'online');
    return runners.length === 3 && runners.filter(({ busy }) => busy).length === 2;
  });
  const before = own();
  const jobsBefore = github.jobs();
  expect(before).toHaveLength(3);

  expect((await first.end('SIGKILL')).signal).toBe('SIGKILL');
  const second = await startServe(config);
  await eventually('it listens', () => listening(world), second.ended);
  expect(own()).toEqual(before);
  const adopted = (await eventsOf(world)).filter(({ action }) => action === 'EVENT_ACTION_ADOPTED');
  expect(adopted.map(({ name }) => name).sort()).toEqual(before);

  await eventually('both jobs have ended', () => github.jobs().every(({ state }) => state === 'completed'));
  expect(github.jobs().map(({ result, runnerName, startedAt }) => ({ result, runnerName, startedAt }))).toEqual(
    jobsBefore.map(({ runnerName, startedAt }) => ({ result: 'succeeded', runnerName, startedAt })),
  );
  await eventually('their machines have gone', () => own().length === 1, second.ended);
  // Two jobs and a reserve of one: nothing was made twice.
  expect(ec2.instances().filter(({ id }) => !foreign.includes(id))).toHaveLength(3);

  expect((await second.end('SIGTERM')).code).toBe(0);
  const untouched = ec2.instances().filter(({ id, state }) => foreign.includes(id) && state === 'running');
  expect(untouched.map(({ id }) => id)).toEqual(foreign);
  expect(ec2.requests.filter(({ body }) => foreign.some((id) => body.includes(id)))).toEqual([]);
});

test.concurrent('runners of an older configuration are replaced: an idle one by a new one, a busy one after its job', async () => {
  const world = await startWorld();
  const { github, ec2 } = world;
  const image = ec2.catalogue.images[0]?.id;
  const scaleSets = '- {name: small, min_runners: 1, max_runners: 4, providers: [cloud]}';
  const first = await startServe(
    await world.writeConfig({ scaleSets, runner: `{instance_type: m5.large, image: ${image}}` }),
  );
  github.queueJob({ labels: ['small'], seconds: 600 });
  await eventually('one is busy and one idle', () => {
    const runners = github.runners().filter(({ status }) => status === 'online');
    return runners.length === 2 && runners.filter(({ busy }) => busy).length === 1;
  });
  expect((await first.end('SIGTERM')).code).toBe(0);
  const busy = github.jobs()[0]?.runnerName ?? '';
  const idle = names(world).find((name) => name !== busy) ?? '';

  const second = await startServe(
    await world.writeConfig({ scaleSets, runner: `{instance_type: m6i.large, image: ${image}}` }),
  );
  await eventually('the idle one is replaced', () => !names(world).includes(idle), second.ended);
  await eventually('by one of the new kind', () => {
    const waiting = github.runners().find(({ status, name }) => status === 'online' && name !== busy);
    return ec2.instances().some(({ name, instanceType }) => name === waiting?.name && instanceType === 'm6i.large');
  });
  expect(names(world)).toContain(busy);
  expect(github.jobs()[0]?.state).toBe('running');

  github.cancelJob(github.jobs()[0]?.id ?? '');
  await eventually('the job has ended', () => github.jobs()[0]?.state === 'completed', second.ended);
  expect(github.jobs()[0]).toMatchObject({ result: 'canceled', runnerName: busy });
  await eventually('its machine has gone', () => !names(world).includes(busy), second.ended);
  const removed = (await eventsOf(world)).filter(({ action }) => action === 'EVENT_ACTION_REMOVED');
  expect(removed.map(({ name, attributes }) => [name, attributes?.reason])).toEqual([
    [idle, 'outdated'],
    [busy, 'job_completed'],
  ]);
  expect((await second.end('SIGTERM')).code).toBe(0);
  expect(world.standing().map(({ instanceType }) => instanceType)).toEqual(['m6i.large']);
});

test.concurrent('of two daemons with one configuration one serves; the other takes over after a stop and after a kill', async () => {
  const world = await startWorld();
  const { github, ec2, folder } = world;
  const scaleSets =
    '- {name: small, min_runners: 1, max_runners: 2, providers: [cloud]}\n- {name: tall, max_runners: 2, providers: [cloud]}';
  const sockets = [join(folder, 'a.sock'), join(folder, 'b.sock')] as const;
  const configs = await Promise.all(
    sockets.map((socket, at) =>
      world.writeConfig({ name: `config-${at}`, socket, events: join(folder, `events-${at}.jsonl`), scaleSets }),
    ),
  );
  const phases = async (socket: string): Promise<string[]> =>
    ((await world.status(socket)).scale_sets ?? []).map(({ phase }) => (phase ?? '').replace('SCALE_SET_PHASE_', ''));
  const serves = async (socket: string): Promise<boolean> =>
    (await phases(socket)).every((phase) => phase === 'LISTENING');
  const made = (): string[] => ec2.instances().map(({ name }) => name);

  const first = await startServe(configs[0] ?? '');
  await eventually('the first serves', () => serves(sockets[0]), first.ended);
  await eventually('its reserve stands', () => github.runners().some(({ status }) => status === 'online'), first.ended);
  const reserve = made();
  expect(reserve).toHaveLength(1);

  const second = await startServe(configs[1] ?? '');
  await eventually('the second waits', async () => {
    const found = await phases(sockets[1]);
    return found[0] === 'WAITING_FOR_SESSION' && found[1] === 'WAITING_FOR_LEAD';
  });
  const words = await rungar(['status', '--socket', sockets[1]]);
  expect(words.stdout).toMatch(/small +WAITING/);
  expect(words.stdout).toMatch(/tall +WAITING/);
  expect(await serves(sockets[0])).toBe(true);
  expect(made()).toEqual(reserve);

  expect((await first.end('SIGTERM')).code).toBe(0);
  expect(existsSync(sockets[0])).toBe(false);
  await eventually('the second serves after the stop', () => serves(sockets[1]), second.ended);
  expect(made()).toEqual(reserve);

  const third = await startServe(configs[0] ?? '');
  await eventually('the first waits now', async () => (await phases(sockets[0]))[0] === 'WAITING_FOR_SESSION');
  await second.end('SIGKILL');
  await eventually('it serves after the kill', () => serves(sockets[0]), third.ended);
  expect(made()).toEqual(reserve);
  expect(github.runners().map(({ name }) => name)).toEqual(reserve);
  expect((await third.end('SIGTERM')).code).toBe(0);
  expect(github.sessions()).toEqual([]);
  expect(ec2.requests.filter(({ operation }) => operation === 'TerminateInstances')).toEqual([]);
});

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends a daemon well: sessions are closed, runners stay',
  async (signal) => {
    const world = await startWorld();
    const { github, folder } = world;
    const daemon = await startServe(
      await world.writeConfig({ scaleSets: '- {name: small, min_runners: 2, max_runners: 4, providers: [cloud]}' }),
    );
    await eventually(
      'two runners wait',
      () => github.runners().filter(({ status }) => status === 'online').length === 2,
    );
    expect(github.sessions()).toHaveLength(1);

    expect(await daemon.end(signal)).toMatchObject({ code: 0, signal: null, stdout: '' });
    expect(github.sessions()).toEqual([]);
    expect(existsSync(join(folder, 's'))).toBe(false);
    expect(world.standing()).toHaveLength(2);
    expect(github.runners().filter(({ status }) => status === 'online')).toHaveLength(2);
  },
);

test.concurrent('a stop while a machine is being created loses neither the machine nor its registration', async () => {
  const world = await startWorld({ ec2: { latency: { actions: { RunInstances: 2_000 } } } });
  const { github, ec2, folder } = world;
  const config = await world.writeConfig();
  const daemon = await startServe(config);
  github.queueJob({ labels: ['small'], seconds: 0.2 });
  await eventually('the creation is under way', () => (ec2.stats().calls.RunInstances ?? 0) === 1, daemon.ended);

  expect(await daemon.end('SIGTERM')).toMatchObject({ code: 0, signal: null });
  expect(github.sessions()).toEqual([]);
  expect(existsSync(join(folder, 's'))).toBe(false);

  // Whatever became of it, the next daemon sets it right: the job runs once, and nothing is left over.
  const next = await startServe(config);
  await eventually('the job has run', () => github.jobs()[0]?.result === 'succeeded', next.ended);
  await eventually('nothing is left', () => world.standing().length === 0 && github.runners().length === 0, next.ended);
  expect((await next.end('SIGTERM')).code).toBe(0);
});

test.concurrent('a signal during the start ends it well, and leaves nothing', async () => {
  const world = await startWorld();
  const { github, folder } = world;
  github.setFault({ operation: 'create-scale-set', kind: 'hang', times: 100 });
  const daemon = await startServe(await world.writeConfig());
  expect(await daemon.end('SIGTERM')).toMatchObject({ code: 0, signal: null });
  expect(github.sessions()).toEqual([]);
  expect(existsSync(join(folder, 's'))).toBe(false);
});
