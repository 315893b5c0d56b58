import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { countsOf, first, one, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, SECOND, world } from '../../test/world.js';

const silent = new RungarError('unavailable', 'GitHub does not answer');

describe('reconciling', () => {
  test('case 26: a listed machine with our labels and an unknown name is adopted', async () => {
    const w = await withIdle(0);
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'));
    w.github.register('vm-0badf00d', 'vm', { busy: true });
    await w.clock.advance(40 * SECOND);
    expect(w.happened('adopted')).toEqual(['adopted vm-0badf00d']);
    expect(countsOf(w)).toEqual({ starting: 0, idle: 0, busy: 1 });
  });

  test("case 27: a new runner that GitHub's listing does not have yet is kept for start_timeout", async () => {
    const w = world({ ...one({ minRunners: 1 }), bootMs: undefined });
    const list = w.github.runnerStatuses.bind(w.github);
    w.github.runnerStatuses = async (options) => ({ ...(await list(options)), runners: new Map() });
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect([w.provider().count('create'), w.machines().length, w.happened('removed')]).toEqual([1, 1, []]);
  });

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

  test('case 30: an idle one that is online for hours, without age limits, stays', async () => {
    const w = await withIdle();
    await w.clock.advance(180 * MINUTE);
    expect([countsOf(w), w.happened('removed', 'lost')]).toEqual([{ starting: 0, idle: 1, busy: 0 }, []]);
  });

  test('case 31: while GitHub is silent nobody goes', async () => {
    const w = await withIdle(2);
    w.github.chooseFault = (call) => (call === 'list' || call === 'findRunner' ? silent : undefined);
    for (const name of w.machines()) w.github.disconnect(name);
    await w.clock.advance(30 * MINUTE);
    expect(w.machines()).toHaveLength(2);
  });

  test('while GitHub only does not list them, nobody goes and nobody is made in their place', async () => {
    const w = await withIdle(2);
    w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(MINUTE);
    const before = w.machines();
    expect(before).toHaveLength(3);
    w.github.chooseFault = (call) => (call === 'list' ? silent : undefined);
    await w.clock.advance(30 * MINUTE);
    expect(w.machines()).toEqual(before);
    expect(w.provider().count('create')).toBe(3);
    expect(w.reconciler.scaleSets()[0]).toMatchObject({ counts: { idle: 2, busy: 1 }, suspects: 0 });
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

  test('case 34: one GitHub calls busy before any message does is busy', async () => {
    const w = await withIdle();
    w.github.give(first(w));
    await w.clock.advance(40 * SECOND);
    expect(countsOf(w)).toMatchObject({ busy: 1 });
    expect(w.happened('job_started')).toEqual([]);
  });

  test('case 35: a busy runner GitHub calls idle stays busy', async () => {
    const w = await withIdle(0);
    w.github.queueJob('vm', 20 * MINUTE);
    await w.clock.advance(MINUTE);
    delete w.github.named(first(w))?.job;
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.counts?.busy).toBe(1);
  });

  test('case 36: of two outdated idle ones one goes per pass, and the next only when its replacement has connected', async () => {
    const w = world(one({ minRunners: 2, maxRunners: 2 }));
    for (const n of [1, 2]) {
      w.provider().put(`vm-0000000${n}`, labelsOf(`vm-0000000${n}`, { revision: 'old' }));
      w.github.register(`vm-0000000${n}`, 'vm', { online: true });
    }
    w.start();
    await w.clock.advance(50 * SECOND);
    expect(w.happened('removed')).toEqual(['removed vm-00000001 outdated']);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('removed')).toEqual(['removed vm-00000001 outdated', 'removed vm-00000002 outdated']);
    expect(w.machines()).toHaveLength(2);
  });

  test('case 37: no age limit applies to one whose age nobody knows', async () => {
    const w = world(one({ minRunners: 1, maxAgeMs: 10 * MINUTE, maxIdleAgeMs: 5 * MINUTE }));
    const entry = w.provider().put('vm-00000001', labelsOf('vm-00000001'));
    const { createdAt: _unknown, ...machine } = entry.machine;
    entry.machine = machine;
    w.github.register('vm-00000001', 'vm', { online: true });
    w.start();
    await w.clock.advance(60 * MINUTE);
    expect([w.machines(), w.happened('removed')]).toEqual([['vm-00000001'], []]);
  });

  test('case 38: one created after the listing began is not taken for gone', async () => {
    const w = await withIdle(0);
    w.provider().listMs = 25 * SECOND;
    await w.clock.advance(15 * SECOND);
    w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(5 * MINUTE);
    expect([w.provider().count('create'), w.happened('removed', 'lost', 'adopted')]).toEqual([1, []]);
    expect(countsOf(w)).toMatchObject({ busy: 1 });
  });

  const two = { providers: [{ name: 'a' }, { name: 'b' }] };

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

  test('case 41: while the whole listing fails nobody is forgotten', async () => {
    const w = await withIdle(2);
    w.provider().down = true;
    await w.clock.advance(4 * MINUTE);
    expect([countsOf(w), w.happened('lost', 'removed')]).toEqual([{ starting: 0, idle: 2, busy: 0 }, []]);
    w.provider().down = false;
    await w.clock.advance(2 * MINUTE);
    expect([w.provider().count('create'), w.happened('lost', 'removed', 'adopted')]).toEqual([2, []]);
  });
});
