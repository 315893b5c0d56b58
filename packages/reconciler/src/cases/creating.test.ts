import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { countsOf, desired, failures, listening, one, withIdle } from '../../test/scenes.js';
import { MINUTE, on, SECOND, world } from '../../test/world.js';

describe('creating and scaling', () => {
  test('case 1: two jobs on top of a reserve of two make four runners', async () => {
    const w = await listening(one({ minRunners: 2 }), 2);
    expect(w.machines()).toHaveLength(4);
    expect(w.github.count('jit')).toBe(4);
  });

  test('case 2: fifty jobs make no more than max_runners', async () => {
    const w = await listening(one({ maxRunners: 3 }), 50);
    expect(w.machines()).toHaveLength(3);
    expect(desired(w)).toBe(3);
  });

  test('case 3: one more job makes one more runner', async () => {
    const w = await listening({}, 2);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(5 * SECOND);
    expect(w.machines()).toHaveLength(3);
  });

  test('case 4: with room for one of five, one is registered and created, and one failure is counted', async () => {
    const w = await listening({ providers: [{ name: 'a', maxRunners: 1 }] }, 5);
    expect([w.machines().length, w.github.count('jit'), failures(w, 'no_capacity')]).toEqual([1, 1, 1]);
    expect(w.reconciler.scaleSets()[0]?.phase).toBe('listening');
  });

  test('case 5: GitHub refusing to register is one failure, makes no machine, and the listener goes on', async () => {
    const w = world();
    w.github.chooseFault = (call) => (call === 'jit' ? new RungarError('unavailable', 'no') : undefined);
    w.github.queueJob('vm', MINUTE);
    w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect([failures(w, 'error'), w.provider().count('create')]).toEqual([1, 0]);
    expect(w.reconciler.scaleSets()[0]?.phase).toBe('listening');
  });

  test('case 6: with nobody to try, nothing is registered', async () => {
    const w = await listening({ providers: [{ name: 'a', disabled: true }] }, 3);
    expect([w.github.count('jit'), failures(w, 'no_capacity')]).toEqual([0, 1]);
  });

  test('case 7: a refusal takes its registration back and asks for the leftover to be deleted', async () => {
    const w = world();
    w.provider().faults.create.push('broken');
    w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect(w.github.runners.size).toBe(0);
    expect(w.provider().count('delete')).toBe(1);
    expect(w.happened()).toEqual(['failing a']);
  });

  test('case 8: a leftover that cannot be deleted stops the search, keeps its place, and goes later', async () => {
    const w = world({ ...one({ providers: on('a', 'b') }), providers: [{ name: 'a' }, { name: 'b' }] });
    w.provider('a').faults.create.push('lost_reply');
    w.provider('a').faults.delete.push('broken', 'broken');
    w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect(w.provider('b').count('create')).toBe(0);
    expect(w.github.count('remove')).toBe(1);
    expect(w.reconciler.providers()[0]).toMatchObject({
      runnerCount: 1,
      undeletable: [{ attempts: 1 }],
      scaleSets: [{ refusals: 1 }],
    });
    expect(w.happened('adopted', 'removed')).toEqual([]);
    await w.clock.advance(3 * MINUTE);
    expect(w.provider('a').machines.size).toBe(0);
    expect(w.happened('delete_failing', 'delete_recovered')).toEqual(['delete_failing a', 'delete_recovered a']);
  });

  test('case 9: a provider that never answers costs start_timeout, is skipped, and nobody else is tried', async () => {
    const w = world({
      ...one({ providers: on('a', 'b'), startTimeoutMs: MINUTE }),
      providers: [{ name: 'a' }, { name: 'b' }],
    });
    w.provider('a').faults.create.push('hang');
    w.github.queueJob('vm', 10 * MINUTE);
    w.start();
    await w.clock.advance(59 * SECOND);
    expect(w.happened('failing')).toEqual([]);
    expect(w.provider('b').count('create')).toBe(0);
    await w.clock.advance(3 * SECOND);
    expect(w.happened('failing')).toEqual(['failing a']);
    expect(w.provider('b').count('create')).toBe(0);
    expect(w.github.runners.size).toBe(0);
    await w.clock.advance(MINUTE);
    expect(w.machines()).toHaveLength(1);
  });

  test('an answer just after start_timeout takes no machine from under a runner with a job', async () => {
    const w = world(one({ startTimeoutMs: MINUTE }));
    // The registration is being given up by then: GitHub takes 100 ms to say that its runner is busy.
    w.provider().createMs = MINUTE + 50;
    w.github.queueJob('vm', 10 * MINUTE);
    w.start();
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    w.github.connect(w.github.named(name)?.id ?? 0);
    await w.clock.advance(2 * MINUTE);
    expect(w.github.count('remove')).toBe(1);
    expect([w.provider().count('delete'), w.machines()]).toEqual([0, [name]]);
    expect(countsOf(w)).toMatchObject({ busy: 1 });
  });

  test('case 10: one called off leaves nothing, and is no refusal and no event', async () => {
    const unsent = await listening({}, 3);
    expect(unsent.machines()).toHaveLength(3);
    for (let job = 0; job < 2; job++) unsent.github.queueJob('vm', MINUTE);
    await unsent.clock.advance(100);
    for (const job of unsent.github.sets.get('vm')?.jobs.slice(3) ?? []) job.result = 'canceled';
    const events = unsent.events.length;
    unsent.github.tell('vm', {});
    await unsent.clock.advance(5 * SECOND);
    expect([unsent.provider().count('create'), unsent.github.runners.size]).toEqual([3, 3]);
    expect([unsent.events.length - events, unsent.reconciler.providers()[0]?.scaleSets]).toEqual([0, []]);

    // One its provider has been asked for cannot be called off: it is left to whoever holds the session next.
    const sent = world(one({ minRunners: 1 }));
    sent.provider().createMs = 5 * SECOND;
    sent.provider().faults.create.push('lost_reply');
    sent.start();
    await sent.clock.advance(2 * SECOND);
    sent.github.loseSession('vm');
    sent.github.refuseSession = 'conflict';
    await sent.clock.advance(MINUTE);
    expect([sent.provider().count('delete'), sent.machines().length, sent.events]).toEqual([0, 1, []]);
    expect(sent.reconciler.providers()[0]?.scaleSets).toEqual([]);
  });

  test('case 11: before the first count from GitHub nothing is created', async () => {
    const w = world(one({ minRunners: 2 }));
    w.github.pollsAnswered = false;
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.phase).toBe('listening');
    expect([w.github.count('jit'), w.reconciler.scaleSets()[0]?.desired]).toEqual([0, undefined]);
    w.github.pollsAnswered = true;
    w.github.tell('vm', {});
    await w.clock.advance(2 * SECOND);
    expect(w.machines()).toHaveLength(2);
  });

  test('case 12: what was missing is created by the next pass, without a message', async () => {
    const w = await listening({ providers: [{ name: 'a', capacity: 1 }] }, 2);
    expect(w.machines()).toHaveLength(1);
    w.provider().capacity = 2;
    await w.clock.advance(40 * SECOND);
    expect(w.machines()).toHaveLength(2);
  });

  test('case 13: ten messages for eight and ten passes over five busy runners make eight', async () => {
    const w = await withIdle(0);
    for (let job = 0; job < 5; job++) w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(MINUTE);
    expect(countsOf(w)).toEqual({ starting: 0, idle: 0, busy: 5 });
    for (let job = 0; job < 3; job++) w.github.queueJob('vm', 60 * MINUTE);
    const passes = Array.from({ length: 10 }, () => w.reconciler.reconcile('vm', new AbortController().signal));
    for (let message = 0; message < 10; message++) w.github.tell('vm', {});
    await w.clock.advance(2 * MINUTE);
    await Promise.all(passes);
    expect([w.provider().count('create'), w.machines().length]).toEqual([8, 8]);
  });

  test('case 14: a pass that began while two were wanted takes none of the five away', async () => {
    const w = await listening({}, 2);
    w.provider().listMs = 20 * SECOND;
    await w.clock.advance(30 * SECOND);
    for (let job = 0; job < 3; job++) w.github.queueJob('vm', MINUTE);
    await w.clock.advance(3 * SECOND);
    expect(w.machines()).toHaveLength(5);
    await w.clock.advance(MINUTE);
    expect([w.machines().length, w.provider().count('delete'), desired(w)]).toEqual([5, 0, 5]);
  });

  test('case 15: when the count drops to none, those with a job stay', async () => {
    const w = await withIdle(0);
    for (let job = 0; job < 3; job++) w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(MINUTE);
    const none = { availableJobs: 0, acquiredJobs: 0, assignedJobs: 0, runningJobs: 0 };
    w.github.tell('vm', { statistics: { ...none, registeredRunners: 3, busyRunners: 3, idleRunners: 0 } });
    await w.clock.advance(20 * SECOND);
    expect([desired(w), countsOf(w), w.killed]).toEqual([0, { starting: 0, idle: 0, busy: 3 }, []]);
    expect(w.happened('removed')).toEqual([]);
  });

  test('case 16: when the session is let go, creations not sent are undone, those sent run on, and nothing new begins', async () => {
    const w = world(one({ minRunners: 5 }));
    w.start();
    await w.clock.advance(450);
    expect([w.github.count('jit'), w.provider().count('create')]).toEqual([5, 0]);
    w.github.loseSession('vm');
    await w.clock.advance(5 * SECOND);
    expect([w.provider().count('create'), w.github.runners.size]).toEqual([0, 0]);

    const removing = await withIdle(5);
    removing.github.refuseSession = 'conflict';
    removing.reconciler.pause('vm');
    await removing.clock.advance(50);
    removing.github.loseSession('vm');
    await removing.clock.advance(MINUTE);
    expect([removing.provider().count('delete'), removing.machines().length]).toEqual([0, 5]);
  });
});
