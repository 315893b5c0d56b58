import { describe, expect, test } from 'vitest';
import { countsOf, desired, listening, one, withIdle } from '../../test/scenes.js';
import { MINUTE, SECOND } from '../../test/world.js';

describe('pause', () => {
  test('case 69: a scale set paused by configuration creates nothing and says nothing', async () => {
    const w = await listening(one({ paused: true, minRunners: 2 }), 3);
    await w.clock.advance(MINUTE);
    expect([w.machines(), w.events, desired(w)]).toEqual([[], [], 0]);
  });

  test('case 70: two idle ones go at once, and the busy one stays', async () => {
    const w = await withIdle(2);
    w.github.queueJob('vm', 60 * MINUTE);
    await w.clock.advance(40 * SECOND);
    expect(countsOf(w)).toEqual({ starting: 0, idle: 2, busy: 1 });
    w.reconciler.pause('vm');
    await w.clock.advance(2 * SECOND);
    expect([countsOf(w), w.machines().length, w.killed]).toEqual([{ starting: 0, idle: 0, busy: 1 }, 1, []]);
  });

  test('case 71: the same again changes nothing', async () => {
    const w = await listening();
    w.metrics.changes.length = 0;
    w.reconciler.pause('vm');
    w.reconciler.pause('vm');
    w.reconciler.resume('vm');
    w.reconciler.resume('vm');
    expect(w.happened()).toEqual(['paused vm', 'resumed vm']);
    expect(w.metrics.changes.filter((change) => change.includes('scale_set_paused'))).toHaveLength(2);
  });

  test('case 72: resuming creates the reserve without waiting for a message, and tells the maximum with the next poll', async () => {
    const w = await listening(one({ paused: true, minRunners: 2, maxRunners: 7 }));
    w.reconciler.resume('vm');
    await w.clock.advance(2 * SECOND);
    expect(w.machines()).toHaveLength(2);
    expect(new Set(w.github.capacities)).toEqual(new Set([0]));
    await w.clock.advance(MINUTE);
    expect(w.github.capacities.at(-1)).toBe(7);
  });
});
