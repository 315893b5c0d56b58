import { RungarError } from '@rungar/model';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { countsOf, first, listening, one, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, policy, SECOND, type World, world } from '../../test/world.js';
import { createReconciler, type Reconciler } from '../index.js';

const phases = (reconciler: Reconciler): string[] => reconciler.scaleSets().map(({ phase }) => phase);

/** What programs of this kind are known to do wrong, and this one does not. */
describe('no', () => {
  test('creating of one runner after another: slow ones are made side by side, and late comers wait for none', async () => {
    const w = await listening({ providers: [{ name: 'a', createMs: MINUTE }] }, 5);
    const begun = (): number => w.provider().count('create');
    expect(begun()).toBe(5);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(SECOND);
    expect(begun()).toBe(6);
    await w.clock.advance(MINUTE);
    expect(countsOf(w)).toMatchObject({ starting: 6 });
  });

  test('removal of one too many when deletions fail: who is let go of counts as removed', async () => {
    const w = await withIdle(3);
    w.github.autoRun = false;
    for (let job = 0; job < 2; job++) w.github.queueJob('vm', MINUTE);
    await w.clock.advance(40 * SECOND);
    expect(countsOf(w)).toEqual({ starting: 0, idle: 5, busy: 0 });
    w.provider().chooseFault = (call) => (call === 'delete' ? 'broken' : undefined);
    w.github.cancelWaiting('vm');
    await w.clock.advance(10 * MINUTE);
    expect([countsOf(w), w.github.runners.size]).toEqual([{ starting: 0, idle: 3, busy: 0 }, 3]);
    expect(w.happened('removed')).toEqual([]);
    w.provider().chooseFault = () => undefined;
    await w.clock.advance(20 * MINUTE);
    expect([w.happened('removed').length, w.machines().length]).toEqual([2, 3]);
  });

  test('look-up before a removal: the id of the registration is remembered', async () => {
    const w = await withIdle();
    const before = w.github.calls.length;
    w.reconciler.pause('vm');
    await w.clock.advance(5 * SECOND);
    expect(w.github.calls.slice(before).map(({ call }) => call)).toEqual(['remove']);
  });

  test("stop of the whole fleet for one scale set's error: the others serve, and it recovers by itself", async () => {
    const w = world({ scaleSets: ['first', 'second', 'third'].map((name) => policy({ name, minRunners: 1 })) });
    const found = w.github.findScaleSet.bind(w.github);
    let missing = true;
    w.github.findScaleSet = async (name, group, options) => {
      if (missing && name === 'second') throw new RungarError('not_found', 'refused: refused');
      return await found(name, group, options);
    };
    w.start();
    await w.clock.advance(2 * MINUTE);
    expect([phases(w.reconciler), w.failure]).toEqual([['listening', 'failed', 'listening'], undefined]);
    expect(w.reconciler.scaleSets()[1]).toMatchObject({ phaseReason: 'refused: refused' });
    missing = false;
    await w.clock.advance(2 * MINUTE);
    expect(phases(w.reconciler)).toEqual(['listening', 'listening', 'listening']);
    expect(w.happened('failed', 'recovered')).toEqual(['failed second', 'recovered second']);
  });

  test('scale sets split for ever between two daemons that name them in another order', async () => {
    const clock = fakeClock();
    const [alpha, beta] = [policy({ name: 'alpha', minRunners: 1 }), policy({ name: 'beta', minRunners: 1 })];
    const w = world({ clock, scaleSets: [alpha, beta] });
    const other = createReconciler({
      installation: 'gh-47a00949ae7d',
      scaleSets: [beta, alpha],
      providers: [{ name: 'a', provider: w.provider() }],
      github: w.github,
      clock,
      random: seededRandom(2),
      hostname: 'other',
    });
    w.start();
    other.start();
    await clock.advance(MINUTE);
    expect([phases(w.reconciler), phases(other)]).toEqual([
      ['listening', 'waiting_for_session'],
      ['listening', 'waiting_for_session'],
    ]);
    await clock.advance(6 * MINUTE);
    expect([phases(w.reconciler), phases(other)]).toEqual([
      ['listening', 'listening'],
      ['waiting_for_session', 'waiting_for_lead'],
    ]);
    expect(w.machines()).toHaveLength(2);
    expect(w.happened('split')).toEqual(['split beta']);
  });

  test('adoption of a machine that has ended, found during a pass: it goes without ever having counted', async () => {
    const w = await withIdle(0);
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'), { state: 'stopped' });
    await w.clock.advance(40 * SECOND);
    expect([w.machines(), w.happened()]).toEqual([[], ['removed vm-0badf00d job_completed']]);
  });

  test('crash right after creation read as success: an older listing proves nothing', async () => {
    const w = world({ ...one({ minRunners: 1 }), bootMs: undefined });
    w.github.listingAgeMs = 15 * SECOND;
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'));
    w.github.register('vm-0badf00d', 'vm', { busy: true });
    w.start();
    // The listing is taken while the pass begins; the runner comes and crashes while it is still young.
    await w.clock.advance(28 * SECOND);
    const name = w.machines().find((one) => one !== 'vm-0badf00d') ?? '';
    w.provider().setState(name, 'stopped');
    await w.clock.advance(4 * MINUTE);
    expect(w.happened('removed', 'lost')).toEqual([]);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('removed', 'lost').filter((text) => text.includes(name))).toEqual([`lost ${name} ended`]);
  });

  test('wake-up that waits for the next pass, or for the one under way', async () => {
    const w = await withIdle(2);
    w.provider().faults.list.push('hang');
    await w.clock.advance(15 * SECOND);
    w.reconciler.pause('vm');
    await w.clock.advance(SECOND);
    expect(w.machines()).toEqual([]);
    w.reconciler.resume('vm');
    await w.clock.advance(SECOND);
    expect(w.machines()).toHaveLength(2);
  });

  test('replacement that empties the reserve: the new one is there before the old one goes', async () => {
    const w = world(one({ minRunners: 2, maxRunners: 5 }));
    for (const n of [1, 2]) {
      w.provider().put(`vm-0000000${n}`, labelsOf(`vm-0000000${n}`, { revision: 'old' }));
      w.github.register(`vm-0000000${n}`, 'vm', { online: true });
    }
    w.start();
    await w.clock.advance(5 * SECOND);
    for (let passed = 0; passed < 5 * MINUTE; passed += SECOND) {
      await w.clock.advance(SECOND);
      const ready = [...w.github.runners.values()].filter(({ online }) => online);
      expect(ready.length).toBeGreaterThanOrEqual(2);
    }
    expect(w.happened('removed')).toEqual(['removed vm-00000001 outdated', 'removed vm-00000002 outdated']);
  });

  test('provider that hangs holding up the creations, the messages or the end', async () => {
    const w = world({ ...one({ providers: on('a', 'b'), minRunners: 2 }), providers: [{ name: 'a' }, { name: 'b' }] });
    w.provider('a').chooseFault = (call) => (call === 'list' ? undefined : 'hang');
    w.start();
    await w.clock.advance(40 * SECOND);
    expect(w.provider('b').machines.size).toBe(1);
    w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(5 * SECOND);
    expect(countsOf(w)).toMatchObject({ busy: 1 });
    const from = w.clock.now();
    await w.stop();
    expect(w.clock.now() - from).toBeLessThanOrEqual(25 * SECOND);
    expect(w.logs.at(-1)?.message).toBe('Stopped; runners are left for the next start');
  });

  test('runner made anew with every pass while its end is unknown', async () => {
    const w = await withIdle();
    w.github.chooseFault = (call) => (call === 'findRunner' ? new RungarError('unavailable', 'no answer') : undefined);
    w.provider().setState(first(w), 'stopped');
    await w.clock.advance(10 * MINUTE);
    expect([w.provider().count('create'), w.machines().length]).toEqual([2, 1]);
  });
});

/** A world in which a listing of GitHub is shared for as long as it may be. */
async function withSharedListing(): Promise<World> {
  const w = await withIdle();
  w.github.listingAgeMs = 10 * MINUTE;
  return w;
}

test('no busy runner is destroyed on one listing that is minutes old', async () => {
  const w = await withSharedListing();
  w.github.give(first(w));
  await w.clock.advance(MINUTE);
  w.github.disconnect(first(w));
  await w.clock.advance(4 * MINUTE);
  const runner = w.github.named(first(w));
  if (runner) runner.online = true;
  await w.clock.advance(20 * MINUTE);
  expect([w.killed, w.happened('removed', 'lost')]).toEqual([[], []]);
});
