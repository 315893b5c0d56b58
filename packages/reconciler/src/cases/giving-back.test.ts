import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { first, listening, one, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, SECOND, world } from '../../test/world.js';

describe('giving back and removing', () => {
  test('case 17: outdated goes first, the older next', async () => {
    const w = world({ ...one({ maxRunners: 3 }), providers: [{ name: 'a', maxRunners: 3 }] });
    const now = w.clock.wallNow();
    w.provider().put('vm-00000001', labelsOf('vm-00000001'), { createdAt: now - 2 * MINUTE });
    w.provider().put('vm-00000002', labelsOf('vm-00000002'), { createdAt: now - MINUTE });
    w.provider().put('vm-00000003', labelsOf('vm-00000003', { revision: 'old' }), { createdAt: now });
    w.github.autoRun = false;
    for (const n of [1, 2, 3]) w.github.register(`vm-0000000${n}`, 'vm', { online: true });
    const jobs = [1, 2, 3].map(() => w.github.queueJob('vm', MINUTE));
    w.start();
    await w.clock.advance(5 * SECOND);
    const gone: string[][] = [];
    for (const job of jobs) {
      job.result = 'canceled';
      w.github.tell('vm', {});
      await w.clock.advance(5 * SECOND);
      gone.push(w.happened('removed'));
    }
    expect(gone.at(-1)).toEqual([
      'removed vm-00000003 scaled_down',
      'removed vm-00000001 scaled_down',
      'removed vm-00000002 scaled_down',
    ]);
    expect(gone.map(({ length }) => length)).toEqual([1, 2, 3]);
  });

  test('case 18: one GitHub has just given a job stays, becomes busy, and another goes', async () => {
    const w = await listening({}, 2);
    await w.clock.advance(30 * SECOND);
    const [oldest = '', other = ''] = w.machines();
    const working = w.github.named(oldest);
    if (working)
      working.job = { id: 'j', scaleSet: 'vm', durationMs: Number.POSITIVE_INFINITY, queuedAt: 0, runner: oldest };
    w.github.cancelWaiting('vm');
    await w.clock.advance(5 * SECOND);
    expect(w.machines()).toEqual([oldest]);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 1 });
    expect(w.happened('removed')).toEqual([`removed ${other} scaled_down`]);
    expect(w.killed).toEqual([]);
  });

  test('case 19: while GitHub does not say, the machine is kept and the runner counted', async () => {
    const w = await listening({}, 1);
    w.github.chooseFault = (call) => (call === 'remove' ? new RungarError('unavailable', 'timeout') : undefined);
    w.github.cancelWaiting('vm');
    await w.clock.advance(2 * MINUTE);
    expect(w.machines()).toHaveLength(1);
    expect(w.provider().count('delete')).toBe(0);
    expect(w.happened('removed')).toEqual([]);
  });

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

  test('case 21: the registration goes before the machine', async () => {
    const w = await listening({}, 1);
    w.github.cancelWaiting('vm');
    await w.clock.advance(5 * SECOND);
    const removed = w.github.calls.find(({ call }) => call === 'remove')?.at ?? 0;
    const deleted = w.provider().calls.find(({ call }) => call === 'delete')?.at ?? 0;
    expect(deleted).toBeGreaterThanOrEqual(removed + 100);
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

  test('case 24: a machine that is being deleted while a pass lists it is not adopted, and deleted once', async () => {
    const w = await withIdle(1, { providers: [{ name: 'a', deleteMs: 90 * SECOND }] });
    const name = first(w);
    w.reconciler.pause('vm');
    await w.clock.advance(80 * SECOND);
    expect([w.machines(), w.provider().count('delete')]).toEqual([[name], 1]);
    await w.clock.advance(MINUTE);
    expect([w.machines(), w.provider().count('delete')]).toEqual([[], 1]);
    expect(w.happened('adopted', 'removed')).toEqual([`removed ${name} scaled_down`]);
  });

  test('case 25: one that left over a minute ago and is still listed is adopted, and goes again in due course', async () => {
    const w = await withIdle();
    const name = first(w);
    w.reconciler.pause('vm');
    await w.clock.advance(5 * SECOND);
    w.provider().put(name, labelsOf(name), { createdAt: w.clock.wallNow() - 10 * MINUTE });
    await w.clock.advance(50 * SECOND);
    expect(w.happened('adopted')).toEqual([]);
    await w.clock.advance(2 * MINUTE);
    expect(w.happened('adopted', 'removed')).toEqual([
      `removed ${name} scaled_down`,
      `adopted ${name}`,
      expect.stringContaining(`removed ${name} `),
    ]);
    expect(w.machines()).toEqual([]);
  });
});
