import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { first, withBusy, withIdle } from '../../test/scenes.js';
import { MINUTE, SECOND } from '../../test/world.js';

const silent = new RungarError('unavailable', 'GitHub does not answer');

describe('ended machines', () => {
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

  test.each<['offline' | 'idle' | 'busy', boolean]>([
    ['offline', false],
    ['idle', false],
    ['busy', true],
  ])('case 43: one GitHub still lists as %s after start_timeout is lost', async (status, stays) => {
    const w = await withIdle();
    const name = first(w);
    if (status === 'busy') w.github.give(name);
    if (status === 'offline') w.github.disconnect(name);
    w.provider().setState(name, 'stopped');
    await w.clock.advance(4 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([]);
    expect(w.machines()).not.toContain(name);
    await w.clock.advance(3 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([`lost ${name} ended`]);
    // It is tried to be removed in every case: GitHub itself keeps that of a runner with a job.
    expect(w.github.named(name) !== undefined).toBe(stays);
  });

  test('case 44: while GitHub is silent its end stays open, however long', async () => {
    const w = await withIdle();
    const name = first(w);
    w.provider().setState(name, 'stopped');
    w.github.crash(name);
    w.github.chooseFault = (call) => (call === 'findRunner' || call === 'list' ? silent : undefined);
    await w.clock.advance(60 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([]);
  });

  test('case 45: one still open is job_completed as soon as the message says so', async () => {
    const w = await withBusy(60 * MINUTE);
    const name = first(w);
    w.provider().setState(name, 'stopped');
    await w.clock.advance(2 * MINUTE);
    expect([w.machines().includes(name), w.happened('removed', 'lost')]).toEqual([false, []]);
    w.github.complete(name);
    await w.clock.advance(100);
    expect(w.happened('removed', 'lost')).toEqual([`removed ${name} job_completed`]);
  });

  test('case 46: the registration of one that is offline is no orphan', async () => {
    const w = await withIdle();
    const name = first(w);
    w.provider().setState(name, 'stopped');
    w.github.crash(name);
    w.github.chooseFault = (call) => (call === 'findRunner' ? silent : undefined);
    await w.clock.advance(30 * MINUTE);
    expect(w.github.named(name)).toBeDefined();
    expect(w.happened('lost', 'removed')).toEqual([]);
  });
});
