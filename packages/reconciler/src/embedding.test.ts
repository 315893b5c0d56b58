import { type Logger, type Machine, type MachineState, RungarError, type RungarEvent } from '@rungar/model';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { createReconciler, type EmbeddedReconciler, type ReconcilerOptions } from './index.js';
import {
  type FakeClock,
  fakeClock,
  type MemoryGitHub,
  type MemoryProvider,
  memoryGitHub,
  memoryProvider,
  seededRandom,
} from './testing/index.js';

const SECOND = 1_000;
const MINUTE = 60_000;

interface Program {
  readonly github: MemoryGitHub;
  readonly provider: MemoryProvider;
  readonly reconciler: EmbeddedReconciler;
  readonly events: RungarEvent[];
}

function program(clock: FakeClock, over: Partial<ReconcilerOptions> & { provider?: MemoryProvider } = {}): Program {
  const { provider: shared, ...options } = over;
  const github = memoryGitHub({ clock });
  const provider = shared ?? memoryProvider({ clock, github });
  const reconciler = createReconciler({
    installation: 'gh-47a00949ae7d',
    github,
    scaleSets: [{ name: 'linux', maxRunners: 5, providers: [{ name: 'rack' }] }],
    providers: [{ name: 'rack', provider }],
    clock,
    random: seededRandom(1),
    ...options,
  });
  const events: RungarEvent[] = [];
  reconciler.on('event', (event) => void events.push(event));
  return { github, provider, reconciler, events };
}

async function stopped(clock: FakeClock, ...reconcilers: EmbeddedReconciler[]): Promise<void> {
  let over = false;
  const stops = Promise.all(reconcilers.map((one) => one.stop())).then(() => {
    over = true;
  });
  for (let waited = 0; !over && waited < 60; waited++) await clock.advance(SECOND);
  await stops;
}

/** A logger that keeps what is said at the level of errors. */
function listeningLogger(): { errors: string[]; logger: Logger } {
  const errors: string[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (text) => void errors.push(text),
    with: () => logger,
  };
  return { errors, logger };
}

describe('a reconciler in a program of its own', () => {
  test('needs names, a limit and a provider only, and runs each job on a machine of its own', async () => {
    const clock = fakeClock();
    const { github, provider, reconciler, events } = program(clock);
    expect(reconciler.status()).toMatchObject({ state: 'stopped', since: clock.wallNow() });
    reconciler.start();
    for (let job = 0; job < 3; job++) github.queueJob('linux', 10 * SECOND);
    await clock.advance(10 * SECOND);
    expect(reconciler.status()).toMatchObject({
      state: 'running',
      scaleSets: [{ name: 'linux', labels: ['linux'], runnerGroup: 'Default', phase: 'listening', desired: 3 }],
      providers: [{ name: 'rack', type: 'custom', endpoint: 'rack', reachable: true, runnerCount: 3 }],
    });
    expect((await planned(clock, reconciler)).pass?.items).toEqual([]);
    await clock.advance(2 * MINUTE);
    expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(provider.count('create')).toBe(3);
    expect([provider.machines(), github.runners()]).toEqual([[], []]);
    expect(github.sessions()).toEqual(['linux']);
    await stopped(clock, reconciler);
    expect(github.sessions()).toEqual([]);
    expect(reconciler.status()).toMatchObject({
      state: 'stopped',
      since: clock.wallNow() - SECOND + 100,
      scaleSets: [{ phase: 'starting', phaseReason: expect.stringContaining('has ended') }],
    });
    for (const action of ['created', 'connected', 'job_started', 'removed'])
      expect(events.filter((event) => event.action === action)).toHaveLength(3);
  });

  test('listens to one action, one kind or everything, and a listener that fails disturbs nobody', async () => {
    const clock = fakeClock();
    const { errors, logger } = listeningLogger();
    const recorded: string[] = [];
    const { github, reconciler, events } = program(clock, {
      logger,
      events: { record: ({ action }) => void recorded.push(action) },
    });
    const created: string[] = [];
    const ofRunners: string[] = [];
    const ofSets: string[] = [];
    reconciler.on('created', () => {
      throw new Error('not today');
    });
    const end = reconciler.on('created', (event) => {
      expectTypeOf(event.action).toEqualTypeOf<'created'>();
      expectTypeOf(event.kind).toEqualTypeOf<'runner'>();
      created.push(event.name);
    });
    reconciler.on('runner', ({ action }) => {
      expectTypeOf(action).toEqualTypeOf<'created' | 'adopted' | 'connected' | 'job_started' | 'removed' | 'lost'>();
      ofRunners.push(action);
    });
    reconciler.on('scale_set', ({ action }) => void ofSets.push(action));
    reconciler.start();
    github.queueJob('linux');
    await clock.advance(MINUTE);
    end();
    reconciler.pause('linux');
    github.queueJob('linux');
    reconciler.resume('linux');
    await clock.advance(MINUTE);
    await stopped(clock, reconciler);
    expect(created).toHaveLength(1);
    expect(ofRunners).toEqual(['created', 'connected', 'job_started', 'created', 'connected', 'job_started']);
    expect(ofSets).toEqual(['paused', 'resumed']);
    expect(events.map(({ action }) => action)).toEqual(recorded);
    expect(events[0]).toMatchObject({ kind: 'runner', action: 'created', scaleSet: 'linux', provider: 'rack' });
    expect(errors).toEqual(['A listener failed', 'A listener failed']);
  });

  test('goes on when a listener rejects, and when the sink of events or the metrics fail, and says so', async () => {
    const clock = fakeClock();
    const broken = (): never => {
      throw new Error('not today');
    };
    const { errors, logger } = listeningLogger();
    const { github, provider, reconciler } = program(clock, {
      logger,
      events: { record: broken },
      metrics: { add: broken, set: broken, unset: broken, observe: broken },
    });
    reconciler.on('created', async () => await Promise.reject(new Error('not today either')));
    reconciler.start();
    github.queueJob('linux', 10 * SECOND);
    await clock.advance(2 * MINUTE);
    await stopped(clock, reconciler);
    expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded']);
    expect(provider.machines()).toEqual([]);
    expect(new Set(errors)).toEqual(
      new Set(['Measurements are lost: the metrics failed', 'An event sink failed', 'A listener failed']),
    );
    expect(errors.filter((text) => text.startsWith('Measurements'))).toHaveLength(1);
  });

  test('goes on when its logger fails, and keeps the runner it was telling of', async () => {
    const clock = fakeClock();
    const broken = (): never => {
      throw new Error('the log is full');
    };
    const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken, with: () => logger };
    const { github, provider, reconciler } = program(clock, { logger });
    reconciler.start();
    github.queueJob('linux', 10 * SECOND);
    await clock.advance(2 * MINUTE);
    await stopped(clock, reconciler);
    expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded']);
    expect(provider.machines()).toEqual([]);
  });

  test('takes a state that a provider made up for no knowledge, and keeps the other providers at work', async () => {
    const clock = fakeClock();
    const github = memoryGitHub({ clock });
    const odd = memoryProvider({ clock, github, capacity: 1 });
    const { list } = odd;
    odd.list = async (selector, options) => {
      const { parts } = await list(selector, options);
      const renamed = (machine: Machine): Machine => ({ ...machine, state: 'RUNNING' as MachineState });
      return { parts: parts.map((part) => ({ ...part, machines: part.machines.map(renamed) })) };
    };
    const { reconciler } = program(clock, {
      github,
      scaleSets: [{ name: 'linux', maxRunners: 5, providers: [{ name: 'odd' }, { name: 'rack' }] }],
      providers: [
        { name: 'odd', provider: odd },
        { name: 'rack', provider: memoryProvider({ clock, github }) },
      ],
    });
    reconciler.start();
    for (let job = 0; job < 3; job++) github.queueJob('linux', 3 * MINUTE);
    await clock.advance(2 * MINUTE);
    const views = reconciler.listRunners({}, AbortSignal.timeout(5_000));
    await clock.advance(SECOND);
    expect((await views).runners.map(({ provider, machineState }) => `${provider} ${machineState}`).sort()).toEqual([
      'odd unknown',
      'rack running',
      'rack running',
    ]);
    await clock.advance(5 * MINUTE);
    await stopped(clock, reconciler);
    expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test.each([
    ['nothing', undefined],
    ['nothing that it names', {}],
    ['a machine of another name', { name: 'other-0badf00d', state: 'running', labels: {}, size: '' }],
  ])('asks the next provider when one answers %s to a creation', async (_what, answer) => {
    const clock = fakeClock();
    const github = memoryGitHub({ clock });
    const odd = memoryProvider({ clock, github });
    odd.create = () => Promise.resolve(answer as unknown as Machine);
    const rack = memoryProvider({ clock, github });
    const { reconciler, events } = program(clock, {
      github,
      scaleSets: [{ name: 'linux', maxRunners: 5, providers: [{ name: 'odd' }, { name: 'rack' }] }],
      providers: [
        { name: 'odd', provider: odd },
        { name: 'rack', provider: rack },
      ],
    });
    reconciler.start();
    github.queueJob('linux', 10 * SECOND);
    await clock.advance(MINUTE);
    await stopped(clock, reconciler);
    expect(events[0]).toMatchObject({
      name: 'odd',
      action: 'failing',
      attributes: { error: expect.stringContaining('without a machine of the name linux-') },
    });
    expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded']);
  });

  test('takes an answer that is no promise, and takes one that is no listing for none', async () => {
    const clock = fakeClock();
    const github = memoryGitHub({ clock });
    const atOnce = memoryProvider({ clock, github });
    atOnce.list = (() => ({ parts: [{ part: '', begunAt: clock.now(), machines: [] }] })) as never;
    const mute = memoryProvider({ clock, github });
    mute.list = (() => undefined) as never;
    const { reconciler } = program(clock, {
      github,
      scaleSets: [{ name: 'linux', maxRunners: 5, providers: [{ name: 'at-once' }, { name: 'mute' }] }],
      providers: [
        { name: 'at-once', provider: atOnce },
        { name: 'mute', provider: mute },
      ],
    });
    reconciler.start();
    await clock.advance(MINUTE);
    const { providers } = reconciler.status();
    await stopped(clock, reconciler);
    expect(providers.map(({ name, reachable, error }) => ({ name, reachable, error }))).toEqual([
      { name: 'at-once', reachable: true, error: undefined },
      { name: 'mute', reachable: false, error: 'mute answered a listing without its parts' },
    ]);
  });

  test('is stopped by its own stop, by a signal or at the end of its block, and goes on from there when started again', async () => {
    const clock = fakeClock();
    const { github, provider, reconciler, events } = program(clock);
    const signal = new AbortController();
    reconciler.start(signal.signal);
    expect(() => reconciler.start()).toThrow(/runs already/);
    await expect(reconciler.run(signal.signal)).rejects.toThrow(/runs already/);
    github.queueJob('linux');
    await clock.advance(MINUTE);
    signal.abort();
    expect(reconciler.status().state).toBe('stopping');
    await clock.advance(5 * SECOND);
    await reconciler.ended;
    expect(provider.machines()).toHaveLength(1);

    reconciler.start();
    await clock.advance(MINUTE);
    expect(provider.count('create')).toBe(1);
    expect(events.map(({ action }) => action)).toEqual(['created', 'connected', 'job_started', 'adopted']);
    const left = reconciler[Symbol.asyncDispose]();
    await clock.advance(5 * SECOND);
    await left;
    expect(reconciler.status().state).toBe('stopped');
    reconciler.start(AbortSignal.abort());
    await reconciler.ended;
    await reconciler.stop();
  });

  test('says why it has failed when GitHub refuses its credential, and can be started again', async () => {
    const clock = fakeClock();
    const github = memoryGitHub({ clock });
    let wrong = true;
    const { reconciler } = program(clock, {
      github: { ...github, refusalOf: (error) => (wrong ? 'unauthorized' : github.refusalOf(error)) },
    });
    for (let time = 0; time < 2; time++) github.failNext('findScaleSet', new RungarError('unavailable', 'bad token'));
    reconciler.start();
    await clock.advance(MINUTE);
    await expect(reconciler.ended).rejects.toThrow(/bad token/);
    await reconciler.stop();
    expect(reconciler.status()).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('bad token') },
    });
    wrong = false;
    reconciler.start();
    await clock.advance(MINUTE);
    expect(reconciler.status()).toMatchObject({ state: 'running', scaleSets: [{ phase: 'listening' }] });
    expect(reconciler.status().error).toBeUndefined();
    await stopped(clock, reconciler);
  });

  test.each<[string, Partial<ReconcilerOptions>]>([
    ['installation is empty', { installation: '' }],
    ['reconcileIntervalMs is 100', { reconcileIntervalMs: 100 }],
    ['scale set linux has no provider', { scaleSets: [{ name: 'linux', maxRunners: 1, providers: [] }] }],
    [
      'there is no provider shelf; there are: rack',
      { scaleSets: [{ name: 'linux', maxRunners: 1, providers: [{ name: 'shelf' }] }] },
    ],
    [
      'minRunners is 2; from 0 to maxRunners (1)',
      { scaleSets: [{ name: 'linux', minRunners: 2, maxRunners: 1, providers: [{ name: 'rack' }] }] },
    ],
    ['maxRunners is NaN', { scaleSets: [{ name: 'linux', maxRunners: Number.NaN, providers: [{ name: 'rack' }] }] }],
    [
      'scale set linux is given twice',
      {
        scaleSets: [
          { name: 'linux', maxRunners: 1, providers: [{ name: 'rack' }] },
          { name: 'linux', maxRunners: 1, providers: [{ name: 'rack' }] },
        ],
      },
    ],
    ['weight is 0', { providers: [{ name: 'rack', weight: 0, provider: memoryProvider({ clock: fakeClock() }) }] }],
  ])('refuses what can never work: %s', (message, over) => {
    expect(() => program(fakeClock(), over)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
    );
  });
});

describe('two reconcilers in one process', () => {
  test('do not meet, although scale set, provider and backend have the same names', async () => {
    const clock = fakeClock();
    const rack = memoryProvider({ clock });
    const one = program(clock, { provider: rack, installation: 'gh-000000000001' });
    const other = program(clock, { provider: rack, installation: 'gh-000000000002' });
    one.reconciler.start();
    other.reconciler.start();
    for (let job = 0; job < 2; job++) one.github.queueJob('linux');
    for (let job = 0; job < 3; job++) other.github.queueJob('linux');
    await clock.advance(MINUTE);

    expect(rack.machines()).toHaveLength(5);
    for (const [{ reconciler, github, events }, count] of [
      [one, 2],
      [other, 3],
    ] as const) {
      const names = namesOf(github.runners());
      expect(names).toHaveLength(count);
      expect(namesOf(events)).toEqual(names);
      expect(reconciler.status()).toMatchObject({
        scaleSets: [{ desired: count }],
        providers: [{ runnerCount: count }],
      });
    }

    one.reconciler.pause('linux');
    await clock.advance(MINUTE);
    expect(other.reconciler.scaleSets()[0]?.paused).toBe(false);
    expect(namesOf(rack.machines())).toEqual(namesOf(other.github.runners()));
    await stopped(clock, one.reconciler);
    expect([one.github.sessions(), other.github.sessions()]).toEqual([[], ['linux']]);
    other.github.queueJob('linux');
    await clock.advance(MINUTE);
    expect(other.reconciler.status()).toMatchObject({ state: 'running', scaleSets: [{ desired: 4 }] });
    expect(rack.machines()).toHaveLength(4);
    await stopped(clock, other.reconciler);
  });
});

async function planned(clock: FakeClock, { plan }: EmbeddedReconciler): ReturnType<EmbeddedReconciler['plan']> {
  const asked = plan('linux');
  await clock.advance(SECOND);
  return await asked;
}

const namesOf = (named: readonly { readonly name: string }[]): string[] => named.map(({ name }) => name).sort();
