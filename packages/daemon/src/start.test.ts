import { lstat, readFile, stat, writeFile } from 'node:fs/promises';
import { createRedactor, type Problem, RungarError } from '@rungar/model';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../test/eventually.js';
import { fakeGitHub } from '../test/fake-github.js';
import { type FakeReconciler, fakeReconciler, providerStatus, scaleSetStatus } from '../test/fake-reconciler.js';
import { idleProvider, providerSettings, settingsIn } from '../test/settings.js';
import { tempDir } from '../test/temp-dir.js';
import { createControlClient } from './client.js';
import { type Daemon, type StartOptions, startWith } from './start.js';
import type { Engines } from './wire.js';

interface World {
  readonly options: StartOptions;
  readonly reconciler: FakeReconciler;
  /** What was closed, in order. */
  readonly closed: string[];
  readonly clock: ReturnType<typeof fakeClock>;
  log(): string;
  messages(): string[];
  start(): Promise<Daemon>;
}

async function open(more: Parameters<typeof settingsIn>[1] = {}, rest: Partial<StartOptions> = {}): Promise<World> {
  const written: string[] = [];
  const closed: string[] = [];
  const clock = fakeClock();
  const reconciler = fakeReconciler();
  const github = fakeGitHub(() => undefined);
  const options: StartOptions = {
    settings: settingsIn(await tempDir(), more),
    version: '1.2.3',
    commit: 'abc1234',
    clock,
    random: seededRandom(1),
    redactor: createRedactor(),
    stderr: { write: (text) => written.push(text) },
    host: { name: 'host', nodeVersion: '20.19.0', umask: (mask) => process.umask(mask) },
    ...rest,
  };
  const engines: Engines = {
    createScaleSetService: () => ({ ...github, close: async () => void closed.push('github') }),
    createReconciler: () => reconciler,
  };
  return {
    options,
    reconciler,
    closed,
    clock,
    log: () => written.join(''),
    messages: () => written.map((line) => / msg=("[^"]*"|\S+)/.exec(line)?.[1]?.replaceAll('"', '') ?? line),
    async start() {
      const daemon = await startWith(options, engines);
      onTestFinished(() => daemon.stop().catch(() => {}));
      return daemon;
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

describe('starting', () => {
  test('ends with an answering socket, and says so', async () => {
    const world = await open();
    const daemon = await world.start();
    expect(daemon.socket).toBe(world.options.settings.socket);
    expect(world.log()).toContain(`msg=Serving socket=${daemon.socket}\n`);
    expect(world.reconciler.running).toBe(true);
    const { daemon: facts } = await createControlClient(daemon.socket).getStatus({});
    expect(facts).toMatchObject({
      version: '1.2.3',
      commit: 'abc1234',
      configFile: world.options.settings.file,
      installation: 'gh-4e3651f01be5',
      github: {
        url: 'https://github.com/my-org',
        scope: 'organisation',
        credentials: 'personal access token in the configuration',
      },
    });
  });

  test('warns of a configuration without scale sets, of what should be changed in it, and of exposed secrets', async () => {
    const place = { file: '/etc/rungar/config.yaml', line: 3, column: 1 };
    const warning: Problem = {
      severity: 'warning',
      place,
      path: 'version',
      message: 'is not set',
      hint: 'set it to 1',
    };
    const world = await open({}, { warnings: [warning] });
    await writeFile(world.options.settings.file, '', { mode: 0o644 });
    await world.start();
    expect(world.messages()).toEqual([
      'Starting',
      'The configuration should be changed',
      'Every user of this host can read a file with secrets',
      'No scale set is configured: only the command line is answered',
      'Serving',
    ]);
    expect(world.log()).toContain(
      'place=/etc/rungar/config.yaml:3:1 key=version reason="is not set" hint="set it to 1"',
    );
    expect(world.log()).toContain(`file=${world.options.settings.file} mode=0644 `);
    expect(world.log()).not.toContain('ghp_0123456789abcdef');
  });

  test('is refused while another daemon serves there, before anything is touched', async () => {
    const first = await open();
    await first.start();
    const second = await open({
      ...first.options.settings,
      events: { file: `${first.options.settings.file}.events`, maxCount: 1 },
    });
    await expect(second.start()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await exists(second.options.settings.events.file)).toBe(false);
    expect(second.log()).toBe('');
    await expect(createControlClient(first.options.settings.socket).getStatus({})).resolves.toBeDefined();
  });

  test('that fails at a provider closes those already open, names it, and leaves no socket', async () => {
    const world = await open({
      providers: [
        providerSettings('rack-a', async () => idleProvider(() => world.closed.push('rack-a'))),
        providerSettings('rack-b', async () => {
          throw new RungarError('invalid_argument', 'no such file /etc/rungar/tls.key', { hint: 'Put it there.' });
        }),
        providerSettings('rack-c', async () => idleProvider(() => world.closed.push('rack-c'))),
      ],
    });
    await expect(world.start()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/rack-b.*tls\.key/),
      hint: 'Put it there.',
    });
    expect(world.closed).toEqual(['rack-a', 'github']);
    expect(await exists(world.options.settings.socket)).toBe(false);
  });

  test('that is stopped half way opens nothing more and closes the rest', async () => {
    const stop = new AbortController();
    const world = await open(
      {
        providers: [
          providerSettings('rack-a', async () => {
            stop.abort(new Error('told to stop'));
            return idleProvider(() => world.closed.push('rack-a'));
          }),
          providerSettings('rack-b', async () => idleProvider(() => world.closed.push('rack-b'))),
        ],
      },
      { signal: stop.signal },
    );
    await expect(world.start()).rejects.toThrow('told to stop');
    expect(world.closed).toEqual(['rack-a', 'github']);
    expect(await exists(world.options.settings.socket)).toBe(false);
  });

  test('with credentials that cannot be read names the file', async () => {
    const world = await open({
      github: { url: 'https://github.com/my-org', credentials: { kind: 'token', tokenPath: '/nonexistent/token' } },
    });
    await expect(world.start()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('/nonexistent/token'),
    });
  });
});

describe('stopping', () => {
  test('lets go of everything in order, and leaves no socket and the events on the disk', async () => {
    const world = await open({
      providers: [providerSettings('rack-a', async () => idleProvider(() => world.closed.push('rack-a')))],
    });
    const daemon = await world.start();
    await daemon.stop();
    expect(world.closed).toEqual(['rack-a', 'github']);
    expect(world.reconciler.running).toBe(false);
    expect(await exists(daemon.socket)).toBe(false);
    expect((await stat(world.options.settings.events.file)).isFile()).toBe(true);
    expect(world.messages().slice(-2)).toEqual(['Stopping', 'Stopped']);
    await expect(daemon.done).resolves.toBeUndefined();
    await daemon.stop();
  });

  test('comes with the signal too', async () => {
    const stop = new AbortController();
    const world = await open({}, { signal: stop.signal });
    const daemon = await world.start();
    stop.abort();
    await daemon.done;
    expect(await exists(daemon.socket)).toBe(false);
  });

  test('comes when the reconciler cannot go on, and says why', async () => {
    const world = await open();
    const daemon = await world.start();
    world.reconciler.failRun(new RungarError('invalid_argument', 'GitHub refused the credentials'));
    await expect(daemon.done).rejects.toMatchObject({ message: 'GitHub refused the credentials' });
    expect(await exists(daemon.socket)).toBe(false);
    expect(world.closed).toEqual(['github']);
    await expect(daemon.stop()).rejects.toMatchObject({ message: 'GitHub refused the credentials' });
  });
});

describe('metrics', () => {
  const enabled = { metrics: { enable: true, listen: '127.0.0.1:0' } };

  test('are served when enabled, follow the providers at every interval, and end with the daemon', async () => {
    const world = await open({ ...enabled, providers: [providerSettings('rack-a')] });
    world.reconciler.providerStatuses = [providerStatus('rack-a')];
    const daemon = await world.start();
    const scrape = async (): Promise<string> => (await fetch(`http://${daemon.metricsAddress}/metrics`)).text();
    expect(await scrape()).toContain('rungar_provider_reachable{provider="rack-a"} 1\n');
    expect(world.log()).toContain(`msg="Serving metrics" address=${daemon.metricsAddress}\n`);

    world.reconciler.providerStatuses = [providerStatus('rack-a', { reachable: false })];
    await eventually(() => expect(world.clock.sleepers).toBe(3));
    await world.clock.advance(30_000);
    expect(await scrape()).toContain('rungar_provider_reachable{provider="rack-a"} 0\n');

    await daemon.stop();
    await expect(scrape()).rejects.toThrow();
  });

  test('say that the daemon is not ready while a scale set has not been looked at', async () => {
    const world = await open(enabled);
    world.reconciler.scaleSetStatuses = [
      scaleSetStatus('a', { phase: 'waiting_for_lead' }),
      scaleSetStatus('b', { phase: 'starting' }),
    ];
    const daemon = await world.start();
    const ready = () => fetch(`http://${daemon.metricsAddress}/readyz`);
    expect(await (await ready()).text()).toBe('starting: b\n');
    world.reconciler.scaleSetStatuses = [scaleSetStatus('a', { phase: 'github_unreachable' })];
    expect((await ready()).status).toBe(200);
  });

  test('that cannot be served are an error of the start', async () => {
    const world = await open({ metrics: { enable: true, listen: 'nowhere' } });
    await expect(world.start()).rejects.toMatchObject({ hint: expect.stringContaining('metrics.listen') });
    expect(await exists(world.options.settings.socket)).toBe(false);
  });

  test('are not there unless enabled', async () => {
    expect((await (await open()).start()).metricsAddress).toBeUndefined();
  });
});

describe('the page', () => {
  test('is served when enabled, shows what the daemon knows, and ends with it', async () => {
    const world = await open({ page: { enable: true, listen: '127.0.0.1:0' } });
    world.reconciler.scaleSetStatuses = [scaleSetStatus('birch', { counts: { starting: 0, idle: 2, busy: 1 } })];
    const daemon = await world.start();
    const view = async (): Promise<unknown> => (await fetch(new URL('/api/view', daemon.pageAddress))).json();
    expect(await view()).toMatchObject({ fleet: { rows: [{ scaleSet: 'birch', total: { idle: 2, busy: 1 } }] } });
    expect(world.messages()).toEqual([
      'Starting',
      expect.stringMatching(/^No scale set/),
      'Serving the page',
      'Serving',
    ]);
    expect(world.log()).toContain(`msg="Serving the page" address=${daemon.pageAddress}\n`);

    await daemon.stop();
    await expect(view()).rejects.toThrow();
  });

  test('that cannot be served is an error of the start', async () => {
    const world = await open({ page: { enable: true, listen: 'nowhere' } });
    await expect(world.start()).rejects.toMatchObject({ hint: expect.stringContaining('page.listen') });
    expect(await exists(world.options.settings.socket)).toBe(false);
  });

  test('is not there unless enabled', async () => {
    expect((await (await open()).start()).pageAddress).toBeUndefined();
  });
});

test('events recorded by the reconciler reach the file and those who follow', async () => {
  const world = await open();
  const engines: Engines = {
    createScaleSetService: () => fakeGitHub(() => undefined),
    createReconciler: ({ events }) => ({
      ...world.reconciler,
      run: async (signal) => {
        events?.record({ name: 'birch-s', action: 'paused', scaleSet: 'birch-s' });
        await world.reconciler.run(signal);
      },
    }),
  };
  const daemon = await startWith(world.options, engines);
  const names: string[] = [];
  for await (const { events } of createControlClient(daemon.socket).listEvents({})) {
    names.push(...events.map((event) => event.name));
  }
  await daemon.stop();
  expect(names).toEqual(['birch-s']);
  expect(await readFile(world.options.settings.events.file, 'utf8')).toContain('"action":"paused"');
});
