import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { labelsOf, MINUTE, on, policy, SECOND, type World, type WorldOptions, world } from '../../test/world.js';

const one = (over: Parameters<typeof policy>[0]): WorldOptions => ({ scaleSets: [policy(over)] });
const silent = new RungarError('unavailable', 'GitHub does not answer');

/** A daemon with a reserve of idle runners. */
async function withIdle(
  count = 1,
  options: WorldOptions = {},
  over: Parameters<typeof policy>[0] = {},
): Promise<World> {
  const w = world({ ...one({ minRunners: count, ...over }), ...options });
  w.start();
  await w.clock.advance(50 * SECOND);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: count, busy: 0 });
  return w;
}

const first = (w: World): string => w.machines()[0] ?? '';
const crash = (w: World, name: string): void => {
  w.provider().vanish(name);
  w.github.crash(name);
};

describe('jobs', () => {
  test('case 20: a busy runner whose job completes goes without a call to GitHub', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 10 * SECOND);
    await w.clock.advance(2 * MINUTE);
    expect(w.machines()).toEqual([]);
    expect(w.github.count('remove')).toBe(0);
    expect(w.happened().map((text) => text.replace(/vm-\w+/, 'R'))).toEqual([
      'created R',
      'connected R',
      'job_started R',
      'removed R job_completed',
    ]);
    expect(w.metrics.get('rungar_jobs_completed_total', { scale_set: 'vm', result: 'succeeded' })).toBe(1);
  });

  test('case 22: a completion or a start of a name never seen changes nothing', async () => {
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
      runnerId: 9,
      runnerName: 'vm-0badf00d',
    };
    w.github.tell('vm', { started: [job], completed: [{ ...job, result: 'weird' }], unknownKinds: ['JobMoved'] });
    w.github.queueJob('vm', 10 * MINUTE);
    await w.clock.advance(5 * SECOND);
    expect(w.provider().count('delete')).toBe(0);
    expect(w.happened('job_started')).toHaveLength(1);
    expect(w.metrics.get('rungar_jobs_completed_total', { scale_set: 'vm', result: 'other' })).toBe(1);
  });

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

  test('case 23: a machine that cannot be deleted is recorded once, when it is gone', async () => {
    const w = await withIdle(0);
    w.provider().faults.delete.push('broken', 'broken');
    w.github.queueJob('vm', 10 * SECOND);
    await w.clock.advance(MINUTE);
    expect(w.happened('removed', 'adopted')).toEqual([]);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 0 });
    await w.clock.advance(5 * MINUTE);
    expect(w.happened('removed')).toHaveLength(1);
    expect(w.happened('delete_failing', 'delete_recovered')).toEqual(['delete_failing a', 'delete_recovered a']);
  });

  test('case 35: a busy runner GitHub calls idle stays busy', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 20 * MINUTE);
    await w.clock.advance(MINUTE);
    delete w.github.named(first(w))?.job;
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.counts?.busy).toBe(1);
  });
});

describe('runners that are not well', () => {
  test('case 28: one that never connects goes after start_timeout, and is replaced', async () => {
    const w = world({ ...one({ minRunners: 1 }), bootMs: undefined });
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.happened('removed')).toEqual([]);
    await w.clock.advance(MINUTE);
    expect(w.happened('removed')).toEqual([expect.stringMatching(/never_connected$/)]);
    expect(w.happened('created')).toHaveLength(2);
  });

  test('case 29: an idle one that goes offline is kept for start_timeout, and told what proved it', async () => {
    const w = await withIdle();
    const name = first(w);
    w.github.disconnect(name);
    await w.clock.advance(5 * MINUTE);
    expect(w.machines()).toContain(name);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('removed')).toEqual([`removed ${name} disconnected`]);
    expect(w.events.find(({ action }) => action === 'removed')?.attributes?.proof).toBe(
      'offline,offline_after_limit,registration_removed',
    );
  });

  test('one whose registration is gone is unregistered, and made up for', async () => {
    const w = await withIdle();
    const name = first(w);
    const runner = w.github.named(name);
    if (runner) w.github.runners.delete(runner.id);
    await w.clock.advance(MINUTE);
    expect(w.happened('removed')).toEqual([`removed ${name} unregistered`]);
    expect(w.machines()).toHaveLength(1);
  });

  test('case 31: while GitHub is silent nobody goes', async () => {
    const w = await withIdle(2);
    w.github.chooseFault = (call) => (call === 'list' || call === 'findRunner' ? silent : undefined);
    for (const name of w.machines()) w.github.disconnect(name);
    await w.clock.advance(30 * MINUTE);
    expect(w.machines()).toHaveLength(2);
  });

  test('case 32: a busy one GitHub loses sight of is stuck only after start_timeout', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(MINUTE);
    const name = first(w);
    w.github.crash(name);
    await w.clock.advance(4 * MINUTE);
    expect(w.machines()).toContain(name);
    await w.clock.advance(4 * MINUTE);
    expect(w.happened('removed')).toContain(`removed ${name} stuck`);
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

  test('a step back of the wall clock changes nothing', async () => {
    const w = await withIdle(2);
    w.clock.stepWall(-60 * MINUTE);
    await w.clock.advance(10 * MINUTE);
    expect(w.happened('removed', 'lost')).toEqual([]);
  });
});

describe('machines that end', () => {
  test('case 42: one that did its job before any message is completed, whether it stopped or vanished', async () => {
    for (const end of ['stop', 'vanish'] as const) {
      const w = await withIdle();
      const name = first(w);
      const runner = w.github.named(name);
      if (runner) w.github.runners.delete(runner.id);
      if (end === 'stop') w.provider().setState(name, 'stopped');
      else w.provider().vanish(name);
      await w.clock.advance(40 * SECOND);
      expect(w.happened('removed')).toEqual([`removed ${name} job_completed`]);
    }
  });

  test('case 43: a crash is lost after start_timeout, its registration goes, and it is made up for at once', async () => {
    const w = await withIdle();
    const name = first(w);
    crash(w, name);
    await w.clock.advance(2 * MINUTE);
    expect(w.machines()).toHaveLength(1);
    expect(w.happened('lost', 'removed')).toEqual([]);
    await w.clock.advance(6 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([`lost ${name} ended`]);
    expect(w.github.named(name)).toBeUndefined();
  });

  test('case 44, 46: while GitHub is silent its end stays open, and its registration is no orphan', async () => {
    const w = await withIdle();
    const name = first(w);
    w.provider().setState(name, 'stopped');
    w.github.crash(name);
    w.github.chooseFault = (call) => (call === 'findRunner' ? silent : undefined);
    await w.clock.advance(30 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([]);
    expect(w.github.named(name)).toBeDefined();
  });

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
  test('case 39: of two, the other one is reconciled as ever', async () => {
    const w = await withIdle(2, two, { providers: on('a', 'b'), minRunners: 2 });
    w.provider('a').down = true;
    const [gone = ''] = [...w.provider('b').machines.values()].map(({ machine }) => machine.name);
    const runner = w.github.named(gone);
    if (runner) w.github.runners.delete(runner.id);
    w.provider('b').vanish(gone);
    await w.clock.advance(2 * MINUTE);
    expect(w.happened('removed', 'lost')).toEqual([`removed ${gone} job_completed`]);
    expect(w.provider('a').machines.size).toBe(1);
    expect(w.reconciler.providers().map(({ reachable }) => reachable)).toEqual([false, true]);
  });

  test('case 40: after five minutes its runners are given up, unregistered, their machines untouched, and adopted again', async () => {
    const w = await withIdle(1, two, { providers: on('a', 'b'), placement: 'pack' });
    const name = first(w);
    w.provider('a').down = true;
    await w.clock.advance(5 * MINUTE);
    expect(w.happened('lost')).toEqual([]);
    await w.clock.advance(2 * MINUTE);
    expect(w.happened('lost')).toEqual([`lost ${name} unreachable`]);
    expect([w.provider('a').machines.size, w.provider('a').count('delete'), w.provider('b').machines.size]).toEqual([
      1, 0, 1,
    ]);
    expect(w.github.named(name)).toBeUndefined();
    w.provider('a').down = false;
    await w.clock.advance(2 * MINUTE);
    expect(w.happened('adopted')).toEqual([`adopted ${name}`]);
    await w.clock.advance(3 * MINUTE);
    expect(w.machines()).toHaveLength(1);
  });

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

  test('case 33: a busy outdated runner stays until its job ends', async () => {
    const w = world(one({}));
    w.provider().put('vm-0000000a', labelsOf('vm-0000000a', { revision: 'old' }));
    w.github.register('vm-0000000a', 'vm', { busy: true });
    w.start();
    await w.clock.advance(30 * MINUTE);
    expect(w.machines()).toContain('vm-0000000a');
    w.github.complete('vm-0000000a');
    await w.clock.advance(MINUTE);
    expect(w.happened('removed')).toEqual(['removed vm-0000000a job_completed']);
  });
});

describe('orphaned registrations', () => {
  test('case 47: one goes after start_timeout, with no provider in its event', async () => {
    const w = await withIdle(0);
    w.github.register('vm-0badf00d', 'vm');
    w.github.register('vm-big-0badf00d', 'vm');
    await w.clock.advance(5 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeDefined();
    await w.clock.advance(3 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeUndefined();
    expect(w.github.named('vm-big-0badf00d')).toBeDefined();
    const event = w.events.find(({ action }) => action === 'removed');
    expect([event?.attributes?.reason, event?.provider]).toEqual(['orphaned', undefined]);
  });

  test('case 50: none goes while a provider that could have its machine is silent', async () => {
    const w = await withIdle(0);
    w.github.register('vm-0badf00d', 'vm');
    await w.clock.advance(4 * MINUTE);
    w.provider().down = true;
    await w.clock.advance(4 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeDefined();
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
