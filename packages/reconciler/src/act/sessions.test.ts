import { isRungarError } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { labelsOf, MINUTE, on, policy, SECOND, type World, type WorldOptions, world } from '../../test/world.js';

const one = (over: Parameters<typeof policy>[0] = {}): WorldOptions => ({ scaleSets: [policy(over)] });
const three: WorldOptions = { scaleSets: ['first', 'second', 'third'].map((name) => policy({ name, minRunners: 1 })) };
const phases = (w: World): string[] => w.reconciler.scaleSets().map(({ phase }) => phase);
const open = (w: World): string[] =>
  [...w.github.sets.values()].filter(({ session }) => session?.open).map(({ record }) => record.name);
/** Somebody else's session. */
const occupy = (w: World, scaleSet: string): void => {
  w.github.loseSession(scaleSet);
  void w.github.openSession(
    { id: 0, name: scaleSet, runnerGroupId: 1, runnerGroupName: 'Default', labels: [] },
    'other',
    { signal: new AbortController().signal },
  );
};

describe('taking the session', () => {
  test('what an earlier daemon has on a silent provider counts for five minutes, and is replaced elsewhere then', async () => {
    const silent = (): World => {
      const w = world({
        ...one({ maxRunners: 3, providers: on('a', 'b') }),
        providers: [{ name: 'a' }, { name: 'b' }],
      });
      for (const name of ['vm-00000001', 'vm-00000002', 'vm-00000003']) {
        w.provider('a').put(name, labelsOf(name));
        w.github.register(name, 'vm', { busy: true });
      }
      w.provider('a').down = true;
      w.start();
      return w;
    };
    const back = silent();
    await back.clock.advance(4 * MINUTE);
    expect(back.provider('b').count('create')).toBe(0);
    back.provider('a').down = false;
    await back.clock.advance(2 * MINUTE);
    expect(back.happened('adopted')).toHaveLength(3);
    expect(back.machines()).toHaveLength(3);

    const gone = silent();
    await gone.clock.advance(4 * MINUTE);
    expect(gone.provider('b').count('create')).toBe(0);
    await gone.clock.advance(2 * MINUTE);
    expect(gone.provider('b').count('create')).toBe(3);
  });

  test('runners that work on machines no provider lists are warned of', async () => {
    const w = world();
    w.github.register('vm-00000001', 'vm', { busy: true });
    w.github.register('vm-00000002', 'vm', { online: true });
    w.github.register('vm-00000003', 'vm');
    w.github.register('arm-00000004', 'arm', { online: true });
    w.start();
    await w.clock.advance(5 * SECOND);
    const warnings = w.logs.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      {
        message: expect.stringContaining('was one taken out of the configuration?'),
        fields: { runner: 'vm-00000001', count: 2 },
      },
    ]);
    await w.clock.advance(MINUTE);
    expect(w.github.named('vm-00000002')).toBeDefined();
  });

  test('a machine whose label names another runner is a stranger', async () => {
    const w = world();
    w.provider().put('vm-00000002', labelsOf('vm-00000001'));
    w.start();
    await w.clock.advance(10 * MINUTE);
    expect(w.machines()).toEqual(['vm-00000002']);
    expect(w.happened()).toEqual([]);
  });

  test('two machines of one name are one runner, and both go with it', async () => {
    const w = world({ ...one(), providers: [{ name: 'a' }, { name: 'b' }] });
    for (const name of ['a', 'b']) w.provider(name).put('vm-00000001', labelsOf('vm-00000001'));
    w.github.register('vm-00000001', 'vm', { busy: true });
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.counts?.busy).toBe(1);
    expect(w.reconciler.providers().map(({ runnerCount }) => runnerCount)).toEqual([1, 1]);
    w.github.autoRun = false;
    w.github.complete('vm-00000001');
    await w.clock.advance(10 * SECOND);
    expect(w.machines()).toEqual([]);
    expect(w.happened('removed')).toHaveLength(1);
  });

  test('it is asked for after 10, 20, 40 and then every 60 seconds', async () => {
    const w = world();
    w.github.refuseSession = 'conflict';
    w.start();
    await w.clock.advance(5 * MINUTE);
    const asked = w.github.calls.filter(({ call }) => call === 'open').map(({ at }) => at);
    expect(asked.slice(1).map((at, n) => Math.round((at - (asked[n] ?? 0)) / SECOND))).toEqual([
      10, 20, 40, 60, 60, 60,
    ]);
  });

  test('while GitHub does not answer, it is asked at least every 45 seconds', async () => {
    const w = world();
    w.github.refuseSession = 'no_answer';
    w.start();
    await w.clock.advance(10 * MINUTE);
    expect(phases(w)).toEqual(['github_unreachable']);
    w.github.refuseSession = undefined;
    await w.clock.advance(46 * SECOND);
    expect(phases(w)).toEqual(['listening']);
  });
});

describe('wrong credentials', () => {
  test('at the start, twice refused, end the start with a word on the cure', async () => {
    const w = world();
    w.github.refuseSession = 'unauthorized';
    w.start();
    await w.clock.advance(9 * SECOND);
    expect(w.failure).toBeUndefined();
    await w.clock.advance(3 * SECOND);
    expect(isRungarError(w.failure, 'unavailable') && w.failure.hint).toContain('Check the App');
  });

  test('later on are a state that heals by itself', async () => {
    const w = world();
    w.start();
    await w.clock.advance(10 * SECOND);
    w.github.refuseSession = 'unauthorized';
    w.github.loseSession('vm');
    await w.clock.advance(2 * MINUTE);
    expect([w.failure, phases(w)]).toEqual([undefined, ['failed']]);
    w.github.refuseSession = undefined;
    await w.clock.advance(2 * MINUTE);
    expect(phases(w)).toEqual(['listening']);
    expect(w.happened()).toEqual(['failed vm', 'recovered vm']);
  });
});

describe('losing the session', () => {
  test('a machine made after the session was lost is left with its labels, and adopted by whoever comes next', async () => {
    const w = world(one({ minRunners: 1 }));
    w.provider().createMs = 40 * SECOND;
    w.start();
    await w.clock.advance(2 * SECOND);
    w.github.loseSession('vm');
    await w.clock.advance(3 * MINUTE);
    expect(w.provider().count('delete')).toBe(0);
    expect(w.machines()).toHaveLength(1);
    expect(w.reconciler.scaleSets()[0]?.counts?.idle).toBe(1);
    expect(w.happened('created', 'adopted')).toEqual([`adopted ${w.machines()[0]}`]);
  });

  /** A creation that never answers, of a session before the present one; its machine has come meanwhile. */
  const withOldCreation = async (): Promise<World> => {
    const w = world({
      scaleSets: [policy({ minRunners: 1, maxRunners: 1 }), policy({ name: 'arm', maxRunners: 5 })],
      providers: [{ name: 'a', maxRunners: 1 }, { name: 'b' }],
      bootMs: undefined,
    });
    w.provider().faults.create.push('hang');
    w.start();
    await w.clock.advance(2 * SECOND);
    const { name = '', labels = {} } = w.provider().calls.find(({ call }) => call === 'create') ?? {};
    w.github.loseSession('vm');
    await w.clock.advance(2 * MINUTE);
    expect(phases(w)).toEqual(['listening', 'listening']);
    w.provider().put(name, labels, { state: 'running' });
    return w;
  };

  test('a creation of the session before keeps its place on a full provider until its machine is known', async () => {
    const w = await withOldCreation();
    // Somebody asks for the place in every second, that in which the creation is given up included.
    for (let second = 0; second < 5 * 60; second++) {
      w.github.queueJob('arm', MINUTE);
      await w.clock.advance(SECOND);
    }
    expect(w.provider().count('create')).toBe(1);
    expect(w.happened('adopted')).toEqual([`adopted ${w.machines()[0]}`]);
  });

  test('a creation of the session before gives up its place when its scale set is let go', async () => {
    const w = await withOldCreation();
    const givenUp = (): boolean => w.reconciler.scaleSets()[0]?.creating === 0;
    for (let waited = 0; waited < 5 * 60 && !givenUp(); waited++) await w.clock.advance(SECOND);
    w.provider().machines.clear();
    void w.reconciler.apply({
      scaleSets: [policy({ name: 'arm', providers: on('b') })],
      providers: [{ name: 'b', provider: w.provider('b') }],
      reconcileIntervalMs: 30 * SECOND,
    });
    await w.clock.advance(2 * MINUTE);
    // One that is not configured any more goes once nobody has a place on it.
    expect(w.reconciler.providers().map(({ name }) => name)).toEqual(['b']);
  });

  const pausedWith = async (runners: number): Promise<World> => {
    const w = world({
      ...one({ minRunners: runners, maxRunners: runners }),
      providers: [{ name: 'a', deleteMs: 10 * MINUTE }],
    });
    w.start();
    await w.clock.advance(MINUTE);
    expect(w.github.runners.size).toBe(runners);
    w.reconciler.pause('vm');
    return w;
  };
  const lose = async (w: World): Promise<void> => {
    w.github.refuseSession = 'conflict';
    w.github.loseSession('vm');
    await w.clock.advance(5 * MINUTE);
  };
  test('registrations that wait to be removed stay', async () => {
    const w = await pausedWith(20);
    await w.clock.advance(50);
    expect(w.github.count('remove')).toBe(8);
    await lose(w);
    expect(w.github.count('remove')).toBe(8);
    expect(w.provider().count('delete')).toBe(0);
  });
  test('deletions that wait for their turn are not begun', async () => {
    const w = await pausedWith(140);
    await w.clock.advance(2 * SECOND);
    expect(w.github.runners.size).toBe(0);
    expect(w.provider().count('delete')).toBe(128);
    await lose(w);
    expect(w.provider().count('delete')).toBe(128);
    expect(w.happened('delete_failing')).toEqual([]);
  });
  test('what a creation may have left behind is left to whoever comes next', async () => {
    const w = world(one({ minRunners: 1 }));
    w.provider().faults.create.push('full');
    w.provider().faults.delete.push('hang');
    w.start();
    await w.clock.advance(2 * SECOND);
    expect(w.provider().count('delete')).toBe(1);
    w.github.refuseSession = 'conflict';
    w.github.loseSession('vm');
    await w.clock.advance(5 * MINUTE);
    expect(w.github.count('remove')).toBe(0);
    expect(w.provider().count('delete')).toBe(1);
  });
});

describe('a scale set that is gone from GitHub', () => {
  test('is made again with its labels; its runners stay until two answers show them unregistered', async () => {
    const w = world(one({ minRunners: 2, labels: ['vm', 'linux'] }));
    const made: (readonly string[])[] = [];
    const create = w.github.createScaleSet.bind(w.github);
    w.github.createScaleSet = async (name, group, labels, options) => {
      made.push(labels);
      return await create(name, group, labels, options);
    };
    w.start();
    await w.clock.advance(MINUTE);
    const before = w.machines();
    const record = w.github.sets.get('vm')?.record;
    const deleting = w.github.deleteScaleSet(record?.id ?? 0, { signal: new AbortController().signal });
    await w.clock.advance(100);
    await deleting;
    await w.clock.advance(MINUTE);
    expect([phases(w), made]).toEqual([['listening'], [['vm', 'linux']]]);
    expect(w.github.sets.get('vm')?.record.id).not.toBe(record?.id);
    expect(w.happened('adopted').sort()).toEqual(before.map((name) => `adopted ${name}`).sort());
    // They are young enough to be starting, for all that GitHub says.
    await w.clock.advance(7 * MINUTE);
    const removed = w.events.filter(({ action }) => action === 'removed');
    expect(removed.map(({ attributes }) => attributes?.proof)).toEqual(
      before.map(() => 'not_listed,not_found_by_name,registration_removed'),
    );
    expect(w.machines()).toHaveLength(2);
  });
});

describe('the lead', () => {
  test('one that GitHub refuses for good hands the lead on and silences nobody', async () => {
    const w = world(three);
    const openSession = w.github.openSession.bind(w.github);
    w.github.openSession = async (scaleSet, owner, options) => {
      if (scaleSet.name === 'first') w.github.refuseSession = 'refused';
      return openSession(scaleSet, owner, options).finally(() => {
        w.github.refuseSession = undefined;
      });
    };
    w.start();
    await w.clock.advance(2 * MINUTE);
    expect(phases(w)).toEqual(['failed', 'listening', 'listening']);
    expect(w.happened('failed')).toEqual(['failed first']);
  });

  test('a follower served by somebody else for long is a split, which is said once', async () => {
    const w = world(three);
    occupy(w, 'third');
    await w.clock.advance(SECOND);
    w.start();
    await w.clock.advance(10 * MINUTE);
    expect(phases(w)).toEqual(['listening', 'listening', 'waiting_for_session']);
    expect(w.happened('split')).toEqual(['split third']);
    const isSplit = (scale_set: string) => w.metrics.get('rungar_scale_set_split', { scale_set });
    expect([isSplit('second'), isSplit('third')]).toEqual([0, 1]);
    w.github.loseSession('third');
    await w.clock.advance(2 * MINUTE);
    expect([phases(w)[2], isSplit('third')]).toEqual(['listening', 0]);
  });

  test('two daemons of one configuration never share the scale sets', async () => {
    const clock = fakeClock();
    const w = world({ ...three, clock });
    w.start();
    await clock.advance(MINUTE);
    const created = w.provider().count('create');
    const other = world({ ...three, clock });
    other.github.refuseSession = 'conflict';
    other.start();
    await clock.advance(5 * MINUTE);
    expect(phases(other)).toEqual(['waiting_for_session', 'waiting_for_lead', 'waiting_for_lead']);
    expect([other.provider().calls.length, w.provider().count('create')]).toEqual([0, created]);
  });
});

describe('stopping', () => {
  test('leaves the runners, closes the sessions and begins nothing', async () => {
    const w = world(three);
    w.start();
    await w.clock.advance(MINUTE);
    const before = [w.machines(), w.provider().count('create')];
    await w.stop();
    expect([w.machines(), w.provider().count('create')]).toEqual(before);
    expect(open(w)).toEqual([]);
    expect(w.failure).toBeUndefined();
    expect(w.logs.at(-1)?.message).toBe('Stopped; runners are left for the next start');
  });

  test('waits for creations already sent, whose machines are left with their labels', async () => {
    const w = world(one({ minRunners: 3 }));
    w.provider().createMs = 5 * SECOND;
    w.start();
    await w.clock.advance(2 * SECOND);
    await w.stop();
    expect([w.machines().length, w.github.runners.size, w.provider().count('delete')]).toEqual([3, 3, 0]);
  });

  test('waits ten seconds for registrations to be taken back, and twenty for machines that are being made', async () => {
    const stoppedAfter = async (w: World): Promise<number> => {
      const from = w.clock.now();
      await w.stop();
      return w.clock.now() - from;
    };
    const undoing = world(one({ minRunners: 3 }));
    undoing.github.removeRunner = () => new Promise(() => {});
    undoing.start();
    await undoing.clock.advance(450);
    expect(await stoppedAfter(undoing)).toBe(11 * SECOND);
    expect(undoing.provider().count('create')).toBe(0);

    const making = world(one({ minRunners: 3 }));
    making.provider().createMs = 5 * MINUTE;
    making.start();
    await making.clock.advance(2 * SECOND);
    expect(await stoppedAfter(making)).toBe(21 * SECOND);
    expect(open(making)).toEqual([]);
  });

  test('while a session is being opened closes it once it is open', async () => {
    const w = world();
    w.start();
    await w.clock.advance(150);
    await w.stop();
    expect(w.github.count('open')).toBe(1);
    expect(open(w)).toEqual([]);
  });
});

test('no log line and no event ever shows a registration', async () => {
  const w = world(one({ minRunners: 2 }));
  w.provider().faults.create.push('broken', 'full');
  w.start();
  await w.clock.advance(5 * MINUTE);
  await w.stop();
  expect(JSON.stringify([w.logs, w.events])).not.toContain('jit-of-');
});

test('a daemon killed while jobs run disturbs none of them', async () => {
  const w = world(one({ minRunners: 1 }));
  w.start();
  for (let job = 0; job < 5; job++) w.github.queueJob('vm', 3 * MINUTE);
  await w.clock.advance(MINUTE);
  w.kill();
  await w.clock.advance(10 * MINUTE);
  expect([w.killed, w.github.unfinished(), w.machines().length]).toEqual([[], [], 1]);
  expect(w.happened('lost')).toEqual([]);
});
