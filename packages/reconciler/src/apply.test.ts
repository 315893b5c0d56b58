import { describe, expect, test } from 'vitest';
import { createReconciler, type EmbeddedReconciler, type ReconcilerOptions, type Reconfiguration } from './index.js';
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

interface Served {
  readonly clock: FakeClock;
  readonly github: MemoryGitHub;
  readonly rack: MemoryProvider;
  readonly cloud: MemoryProvider;
  readonly reconciler: EmbeddedReconciler;
  readonly actions: string[];
  /** The present configuration with other scale sets, or providers, or both. */
  to(change: Partial<Reconfiguration>): Reconfiguration;
}

const linux = { name: 'linux', maxRunners: 5, providers: [{ name: 'rack' }] };
const linuxOn = (provider: string) => ({ ...linux, providers: [{ name: provider }] });
const gpu = { name: 'gpu', maxRunners: 2, providers: [{ name: 'rack' }] };

/** A reconciler that serves, by the rack alone unless told otherwise. */
async function serving(more: Partial<ReconcilerOptions> = {}): Promise<Served> {
  const clock = fakeClock();
  const github = memoryGitHub({ clock });
  const rack = memoryProvider({ clock, github });
  const cloud = memoryProvider({ clock, github });
  const providers = [{ name: 'rack', provider: rack }];
  const base = { scaleSets: [linux, gpu], providers, ...more };
  const reconciler = createReconciler({
    ...base,
    installation: 'gh-47a00949ae7d',
    github,
    clock,
    random: more.random ?? seededRandom(1),
  });
  const actions: string[] = [];
  reconciler.on('event', ({ action, name }) => void actions.push(`${action} ${name}`));
  reconciler.start();
  await clock.advance(5 * SECOND);
  return { clock, github, rack, cloud, reconciler, actions, to: (change) => ({ ...base, ...change }) };
}

const namesOf = (reconciler: EmbeddedReconciler): string[] => reconciler.scaleSets().map(({ name }) => name);

describe('a new configuration of a reconciler that serves', () => {
  test('lets a machine that is being made where there are to be none any more become a runner all the same', async () => {
    const { clock, github, rack, cloud, reconciler, actions, to } = await serving();
    github.queueJob('linux');
    for (let waited = 0; rack.count('create') === 0 && waited < 50; waited++) await clock.advance(20);
    expect(rack.count('create')).toBe(1);
    void reconciler.apply(
      to({
        scaleSets: [{ ...linux, providers: [{ name: 'cloud' }] }, gpu],
        providers: [
          { name: 'rack', provider: rack },
          { name: 'cloud', provider: cloud },
        ],
      }),
    );
    await clock.advance(SECOND);
    const [machine] = rack.machines();
    expect(actions).toContain(`created ${machine?.name}`);
    expect(github.runners().map(({ name }) => name)).toEqual([machine?.name]);
  });
  test('is refused whole when a part of it can never work', async () => {
    const { reconciler, to } = await serving();
    expect(() =>
      reconciler.apply(
        to({
          scaleSets: [
            { ...linux, maxRunners: 1 },
            { ...gpu, providers: [{ name: 'moon' }] },
          ],
        }),
      ),
    ).toThrow('there is no provider moon');
    expect(reconciler.scaleSets().map(({ maxRunners }) => maxRunners)).toEqual([5, 2]);
  });

  test('has other limits, priorities and minimums at once', async () => {
    const { clock, reconciler, rack, to } = await serving();
    const done = reconciler.apply(to({ scaleSets: [{ ...linux, minRunners: 2, maxRunners: 3, priority: 7 }, gpu] }));
    expect(reconciler.scaleSets()[0]).toMatchObject({ minRunners: 2, maxRunners: 3, priority: 7, creating: 2 });
    await done;
    await clock.advance(MINUTE);
    expect(rack.machines()).toHaveLength(2);
    await reconciler.apply(to({ scaleSets: [linux, gpu] }));
    await clock.advance(MINUTE);
    expect(rack.machines()).toEqual([]);
  });

  test('serves a new scale set, and lets go of one that is gone with its runners left', async () => {
    const { clock, github, reconciler, rack, to } = await serving({ scaleSets: [linux, { ...gpu, minRunners: 1 }] });
    await clock.advance(MINUTE);
    const [left] = rack.machines();
    const arm = { name: 'arm', maxRunners: 1, providers: [{ name: 'rack' }] };
    const closed = reconciler.apply(to({ scaleSets: [linux, arm] }));
    expect(namesOf(reconciler)).toEqual(['linux', 'arm']);
    expect(() => reconciler.pause('gpu')).toThrow('no scale set gpu');
    await clock.advance(5 * SECOND);
    await closed;
    expect(github.sessions()).toEqual(['linux', 'arm']);
    expect(rack.machines()).toEqual([left]);
    github.queueJob('arm', 10 * SECOND);
    await clock.advance(MINUTE);
    expect(github.jobs()).toMatchObject([{ result: 'succeeded' }]);

    // Put back, it takes its runner over again.
    void reconciler.apply(to({ scaleSets: [linux, { ...gpu, minRunners: 1 }] }));
    await clock.advance(MINUTE);
    expect(reconciler.scaleSets()[1]).toMatchObject({ name: 'gpu', counts: { idle: 1 } });
    expect(rack.machines()).toEqual([left]);
  });

  test('counts a machine that is still being made for a scale set that was gone for a while, so that its maximum holds', async () => {
    const clock = fakeClock();
    const slow = memoryProvider({ clock, createMs: 3 * MINUTE });
    const github = memoryGitHub({ clock });
    const one = { name: 'one', maxRunners: 1, minRunners: 1, providers: [{ name: 'slow' }] };
    const providers = [{ name: 'slow', provider: slow }];
    const installation = 'gh-47a00949ae7d';
    const reconciler = createReconciler({
      installation,
      github,
      providers,
      scaleSets: [linuxOn('slow'), one],
      clock,
      random: seededRandom(1),
    });
    reconciler.start();
    await clock.advance(10 * SECOND);
    expect(slow.count('create')).toBe(1);
    void reconciler.apply({ providers, scaleSets: [linuxOn('slow')] });
    await clock.advance(MINUTE);
    void reconciler.apply({ providers, scaleSets: [linuxOn('slow'), one] });
    await clock.advance(MINUTE);
    expect(github.sessions()).toEqual(['linux', 'one']);
    expect(slow.count('create')).toBe(1);
    await clock.advance(2 * MINUTE);
    expect(slow.machines()).toHaveLength(1);
    expect(reconciler.scaleSets()[1]?.counts).toMatchObject({ starting: 1 });
    void reconciler.stop();
    await clock.advance(MINUTE);
  });

  test('in another runner group a scale set is another one at GitHub: its session is closed and a new one opened', async () => {
    const { clock, github, reconciler, to } = await serving();
    reconciler.pause('gpu');
    const closed = reconciler.apply(to({ scaleSets: [linux, { ...gpu, runnerGroup: 'Big' }] }));
    await clock.advance(5 * SECOND);
    await closed;
    expect(github.sessions()).toEqual(['linux', 'gpu']);
    expect(reconciler.scaleSets()[1]).toMatchObject({ runnerGroup: 'Big', phase: 'listening', paused: true });
  });

  test('keeps what somebody paused or disabled by hand, unless just that has changed', async () => {
    const { clock, reconciler, actions, rack, to } = await serving();
    reconciler.pause('linux');
    reconciler.disableProvider('rack');
    await reconciler.apply(to({ scaleSets: [{ ...linux, maxRunners: 6 }, gpu] }));
    expect(reconciler.scaleSets()[0]).toMatchObject({ maxRunners: 6, paused: true, configuredPaused: false });
    expect(reconciler.providers()[0]).toMatchObject({ disabled: true, configuredDisabled: false });
    const providers = [{ name: 'rack', provider: rack, disabled: true }];
    await reconciler.apply(
      to({
        scaleSets: [
          { ...linux, paused: true },
          { ...gpu, paused: true },
        ],
        providers,
      }),
    );
    expect(reconciler.scaleSets().map(({ paused }) => paused)).toEqual([true, true]);
    await reconciler.apply(to({}));
    expect(reconciler.scaleSets().map(({ paused }) => paused)).toEqual([false, false]);
    expect(reconciler.providers()[0]).toMatchObject({ disabled: false, configuredDisabled: false });
    await clock.advance(SECOND);
    expect(actions).toEqual(['paused linux', 'paused gpu', 'resumed linux', 'resumed gpu']);
  });

  test('replaces idle runners of another revision, the new one first', async () => {
    const { clock, reconciler, rack, to } = await serving({ scaleSets: [{ ...linux, minRunners: 1 }] });
    await clock.advance(MINUTE);
    const [old] = rack.machines();
    const next = { ...linux, minRunners: 1, providers: [{ name: 'rack', revision: '2' }] };
    await reconciler.apply(to({ scaleSets: [next] }));
    await clock.advance(3 * MINUTE);
    const machines = rack.machines();
    expect(machines).toHaveLength(1);
    expect(machines[0]?.name).not.toBe(old?.name);
  });

  test('moves runners off a provider that is gone, lets the busy one finish, and then lets the provider go', async () => {
    const { clock, github, reconciler, rack, cloud, to } = await serving({ scaleSets: [{ ...linux, minRunners: 2 }] });
    await clock.advance(MINUTE);
    github.queueJob('linux', 10 * MINUTE);
    await clock.advance(10 * SECOND);
    await reconciler.apply(
      to({
        scaleSets: [{ ...linux, minRunners: 1, providers: [{ name: 'cloud' }] }],
        providers: [{ name: 'cloud', provider: cloud }],
      }),
    );
    expect(reconciler.providers()).toMatchObject([
      { name: 'cloud', disabled: false },
      { name: 'rack', retired: true, disabled: true, runnerCount: expect.any(Number) },
    ]);
    await clock.advance(4 * MINUTE);
    expect(cloud.machines()).toHaveLength(1);
    expect(rack.machines()).toHaveLength(1);
    await clock.advance(8 * MINUTE);
    expect(github.jobs()).toMatchObject([{ result: 'succeeded' }]);
    expect(rack.machines()).toEqual([]);
    expect(reconciler.providers().map(({ name }) => name)).toEqual(['cloud']);
  });

  test('has another interval between passes', async () => {
    const { clock, reconciler, rack, to } = await serving();
    await clock.advance(MINUTE);
    await reconciler.apply(to({ reconcileIntervalMs: 5 * SECOND }));
    const before = rack.count('list');
    await clock.advance(MINUTE);
    expect(rack.count('list') - before).toBeGreaterThanOrEqual(11);
  });

  test('may come while nothing is served, and is served from the next start on', async () => {
    const clock = fakeClock();
    const github = memoryGitHub({ clock });
    const providers = [{ name: 'rack', provider: memoryProvider({ clock, github }) }];
    const base = { installation: 'gh-47a00949ae7d', github, clock, random: seededRandom(1), providers };
    const reconciler = createReconciler({ ...base, scaleSets: [linux] });
    await reconciler.apply({ scaleSets: [gpu], providers });
    reconciler.start();
    await clock.advance(5 * SECOND);
    expect(github.sessions()).toEqual(['gpu']);
  });
});

test('a scale set that fails unexpectedly under a new configuration keeps no other from its own', async () => {
  const random = seededRandom(2);
  let fails = false;
  const failing = {
    ...random,
    bytes: (count: number) => {
      if (!fails) return random.bytes(count);
      fails = false;
      throw new Error('no entropy');
    },
  };
  const { clock, reconciler, to, actions } = await serving({ random: failing });
  fails = true;
  actions.length = 0;
  const applied = reconciler.apply(
    to({
      scaleSets: [
        { ...linux, minRunners: 1 },
        { ...gpu, minRunners: 1 },
      ],
    }),
  );
  await clock.advance(5 * SECOND);
  await applied;
  expect(actions.filter((action) => action.startsWith('created gpu'))).toHaveLength(1);
  const stopped = reconciler.stop();
  await clock.advance(MINUTE);
  await stopped;
});
