import { describe, expect, test } from 'vitest';
import { first, one, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, policy, SECOND, type WorldOptions, world } from '../../test/world.js';

describe('jobs', () => {
  test('a cancelled assignment that names no runner removes nobody', async () => {
    const w = await withIdle();
    const job = {
      jobId: 'j',
      runnerRequestId: 0,
      owner: '',
      repository: '',
      workflowRef: '',
      displayName: '',
      workflowRunId: 0,
      eventName: '',
      requestLabels: [],
      runnerId: 0,
      runnerName: '',
      result: 'canceled',
    };
    w.github.tell('vm', { completed: [job] });
    await w.clock.advance(5 * SECOND);
    expect(w.happened('removed')).toEqual([]);
  });
});

describe('runners that are not well', () => {
  test('one whose registration is gone is unregistered, and made up for', async () => {
    const w = await withIdle();
    const name = first(w);
    const runner = w.github.named(name);
    if (runner) w.github.runners.delete(runner.id);
    await w.clock.advance(MINUTE);
    expect(w.happened('removed')).toEqual([`removed ${name} unregistered`]);
    expect(w.machines()).toHaveLength(1);
  });

  test('a gap in time clears every clock: nobody goes for what was measured across it', async () => {
    const w = await withIdle();
    const name = first(w);
    w.github.disconnect(name);
    await w.clock.advance(4 * MINUTE);
    w.clock.stepWall(10 * MINUTE);
    await w.clock.advance(3 * MINUTE);
    expect(w.machines()).toContain(name);
    await w.clock.advance(5 * MINUTE);
    expect(w.happened('removed')).toEqual([`removed ${name} disconnected`]);
  });

  test('a gap in time gives a machine that ended, too, all of start_timeout again', async () => {
    const w = await withIdle();
    const name = first(w);
    w.provider().setState(name, 'stopped');
    w.github.crash(name);
    await w.clock.advance(4 * MINUTE);
    w.clock.stepWall(10 * MINUTE);
    await w.clock.advance(4 * MINUTE);
    expect(w.happened('lost')).toEqual([]);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('lost')).toEqual([`lost ${name} ended`]);
  });

  test('a step back of the wall clock changes nothing', async () => {
    const w = await withIdle(2);
    w.clock.stepWall(-60 * MINUTE);
    await w.clock.advance(10 * MINUTE);
    expect(w.happened('removed', 'lost')).toEqual([]);
  });
});

describe('machines that end', () => {
  test('a machine the listing does not show yet is neither lost nor made twice', async () => {
    const w = world(one({ minRunners: 1 }));
    w.provider().listLagMs = 45 * SECOND;
    w.start();
    await w.clock.advance(3 * MINUTE);
    expect(w.provider().count('create')).toBe(1);
    expect(w.happened('removed', 'lost', 'adopted')).toEqual([]);
  });

  test('a machine missing from one listing is kept while GitHub shows its runner', async () => {
    const w = await withIdle();
    const [entry] = w.provider().named(first(w));
    if (entry) entry.visibleFrom = Number.POSITIVE_INFINITY;
    await w.clock.advance(4 * MINUTE);
    expect(w.provider().count('delete')).toBe(0);
    expect(w.provider().count('create')).toBe(1);
    if (entry) entry.visibleFrom = 0;
    await w.clock.advance(MINUTE);
    expect(w.happened('removed', 'lost', 'adopted')).toEqual([]);
  });

  test('a machine that cannot be seen is never deleted under a job', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 20 * MINUTE);
    await w.clock.advance(MINUTE);
    const [entry] = w.provider().named(first(w));
    if (entry) entry.visibleFrom = Number.POSITIVE_INFINITY;
    await w.clock.advance(25 * MINUTE);
    expect([w.killed, w.github.unfinished()]).toEqual([[], []]);
    expect(w.machines()).toEqual([]);
  });
});

describe('providers that do not answer', () => {
  const two: WorldOptions = { providers: [{ name: 'a' }, { name: 'b' }] };
  test('a busy one is left running by it', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 20 * MINUTE);
    await w.clock.advance(MINUTE);
    w.provider().down = true;
    await w.clock.advance(10 * MINUTE);
    expect(w.github.named(first(w))?.job).toBeDefined();
    w.provider().down = false;
    await w.clock.advance(15 * MINUTE);
    expect([w.killed, w.github.unfinished(), w.machines()]).toEqual([[], [], []]);
  });

  test('one part being down is not the provider being down', async () => {
    const w = world({ ...one({ minRunners: 1 }), providers: [{ name: 'a', parts: ['x', 'y'] }] });
    w.start();
    await w.clock.advance(50 * SECOND);
    const elsewhere = w.provider().put('vm-00000009', labelsOf('vm-00000009'), { part: 'y' });
    w.github.register('vm-00000009', 'vm', { busy: true });
    await w.clock.advance(MINUTE);
    w.provider().partsDown.add('y');
    await w.clock.advance(4 * MINUTE);
    expect(w.reconciler.providers()[0]?.reachable).toBe(true);
    expect(w.happened('lost')).toEqual([]);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('lost')).toEqual(['lost vm-00000009 unreachable']);
    expect(w.provider().machines.has(elsewhere.machine.id)).toBe(true);
  });

  test('one that hangs holds nobody else up', async () => {
    const w = world({ ...one({ minRunners: 1, providers: on('b') }), ...two });
    w.provider('a').chooseFault = () => 'hang';
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.counts?.idle).toBe(1);
  });
});

describe('replacing', () => {
  test('an outdated runner goes only when the one that replaces it has connected', async () => {
    const w = world(one({ minRunners: 1, maxRunners: 3 }));
    w.provider().put('vm-0000000a', labelsOf('vm-0000000a', { revision: 'old' }));
    w.github.register('vm-0000000a', 'vm', { online: true });
    w.start();
    await w.clock.advance(40 * SECOND);
    expect(w.machines()).toHaveLength(2);
    expect(w.happened('removed')).toEqual([]);
    await w.clock.advance(2 * MINUTE);
    expect(w.happened('removed')).toEqual(['removed vm-0000000a outdated']);
    expect(w.machines()).toHaveLength(1);
  });

  test('a new image that never connects empties no pool', async () => {
    const w = world({ ...one({ minRunners: 3, maxRunners: 5 }), bootMs: undefined });
    for (const n of [1, 2, 3]) {
      w.provider().put(`vm-0000000${n}`, labelsOf(`vm-0000000${n}`, { revision: 'old' }));
      w.github.register(`vm-0000000${n}`, 'vm', { online: true });
    }
    w.start();
    await w.clock.advance(60 * MINUTE);
    for (const n of [1, 2, 3]) expect(w.machines()).toContain(`vm-0000000${n}`);
    expect(w.happened('removed').every((text) => text.endsWith('never_connected'))).toBe(true);
  });

  test('where no provider has room, an outdated one stays and says why', async () => {
    const w = world({ ...one({ minRunners: 1 }), providers: [{ name: 'a', maxRunners: 1 }] });
    w.provider().put('vm-0000000a', labelsOf('vm-0000000a', { revision: 'old' }));
    w.github.register('vm-0000000a', 'vm', { online: true });
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.machines()).toEqual(['vm-0000000a']);
    expect(w.reconciler.scaleSets()[0]?.waiting).toEqual([
      { runner: 'vm-0000000a', why: 'no provider can take its replacement' },
    ]);
  });
});

describe('runners that start', () => {
  test('are looked at every 5 s, passes or not', async () => {
    const w = world({ ...one({ minRunners: 1 }), bootMs: 5 * MINUTE });
    const looks: number[] = [];
    const runnerStatuses = w.github.runnerStatuses.bind(w.github);
    w.github.runnerStatuses = (options) => {
      if (options.only?.join() === first(w)) looks.push(w.clock.now());
      return runnerStatuses(options);
    };
    w.start();
    await w.clock.advance(3 * MINUTE);
    const gaps = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(30);
    expect(Math.max(...gaps)).toBe(5 * SECOND);
    await w.stop();
  });

  test('stay connected when the next pass does with a listing that is older than that', async () => {
    const w = world({ ...one({ minRunners: 1 }), bootMs: 22 * SECOND });
    const listings: number[] = [];
    const runnerStatuses = w.github.runnerStatuses.bind(w.github);
    w.github.listingAgeMs = 0;
    w.github.runnerStatuses = async (options) => {
      const answer = await runnerStatuses(options);
      if (options.only) return answer;
      listings.push(w.clock.now());
      const runners = new Map([...answer.runners].map(([name, { id }]) => [name, { id, status: 'offline' as const }]));
      return { ...answer, begunAt: answer.begunAt - 10 * SECOND, runners };
    };
    w.start();
    await w.clock.advance(55 * SECOND);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 1, busy: 0 });
    expect(listings.length).toBeGreaterThan(0);
    listings.length = 0;
    // GitHub's numbers agree and nothing is in doubt, so that nobody asks.
    await w.clock.advance(45 * SECOND);
    expect(listings).toEqual([]);
    await w.stop();
  });
});

describe('what it costs', () => {
  test('an idle hour without runners lists GitHub no more than every ten minutes', async () => {
    const w = await withIdle(0);
    const before = w.github.count('list');
    await w.clock.advance(60 * MINUTE);
    expect(w.github.count('list') - before).toBeLessThanOrEqual(6);
  });

  test('an idle hour with runners, whose numbers agree, lists it no more than every two minutes', async () => {
    const w = await withIdle(5);
    const before = w.github.count('list');
    await w.clock.advance(60 * MINUTE);
    expect(w.github.count('list') - before).toBeLessThanOrEqual(30);
  });

  test('ten scale sets cost one listing of each provider a pass', async () => {
    const sets = Array.from({ length: 10 }, (_, n) => policy({ name: `s${n}` }));
    const w = world({ scaleSets: sets, providers: [{ name: 'a' }, { name: 'b' }] });
    w.start();
    await w.clock.advance(10 * SECOND);
    const before = w.provider('a').count('list');
    await w.clock.advance(10 * MINUTE);
    expect(w.provider('a').count('list') - before).toBe(20);
  });
});

test('a plan can be had at any time, and changes nothing', async () => {
  const w = await withIdle();
  const name = first(w);
  const runner = w.github.named(name);
  if (runner) w.github.runners.delete(runner.id);
  const plan = w.reconciler.plan('vm');
  await w.clock.advance(SECOND);
  expect((await plan).pass?.items).toContainEqual(
    expect.objectContaining({ do: 'remove', runner: name, reason: 'unregistered' }),
  );
  expect(w.machines()).toContain(name);
  await expect(w.reconciler.plan('nope')).rejects.toThrow('no scale set nope');
});

test('runners are shown as both sides see them, foreign ones are not', async () => {
  const w = await withIdle();
  w.provider().put('vm-0000000f', labelsOf('vm-0000000f', { installation: 'gh-000000000000' }));
  w.provider().put('old-0000000f', labelsOf('old-0000000f', { scaleSet: 'old' }));
  const view = w.reconciler.listRunners({}, new AbortController().signal);
  await w.clock.advance(SECOND);
  expect((await view).runners).toMatchObject([
    { scaleSet: 'old', name: 'old-0000000f', githubStatus: 'not_registered', machineState: 'running' },
    { scaleSet: 'vm', state: 'idle', githubStatus: 'idle', adopted: false },
  ]);
  await expect(w.reconciler.listRunners({ provider: 'nope' }, new AbortController().signal)).rejects.toThrow(
    'no provider nope; there are: a',
  );
});
