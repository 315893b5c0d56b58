import { describe, expect, test } from 'vitest';
import { limitTime, systemClock } from './clock.js';
import { RungarError } from './errors.js';
import { fakeClock } from './testing/index.js';

describe('systemClock', () => {
  test('rejects a sleep with the reason of its signal, before and during it', async () => {
    const reason = new Error('enough');
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleep = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  test('never goes back between two readings', () => {
    const readings = Array.from({ length: 1000 }, () => systemClock.now());
    expect(readings).toEqual([...readings].sort((a, b) => a - b));
  });
});

describe('limitTime', () => {
  const tooLate = (): Error => new RungarError('unavailable', 'took too long');

  test('aborts at the limit and not one millisecond earlier', async () => {
    const clock = fakeClock();
    using limit = limitTime(clock, 1000, tooLate);
    await clock.advance(999);
    expect(limit.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(limit.signal.reason).toMatchObject({ code: 'unavailable' });
    expect(limit.expired).toBe(true);
  });

  test("passes the caller's own reason on, which is no expiry", () => {
    const caller = new AbortController();
    using limit = limitTime(fakeClock(), 1000, tooLate, caller.signal);
    caller.abort(new Error('stop'));
    expect(limit.signal.reason).toEqual(new Error('stop'));
    expect(limit.expired).toBe(false);
  });

  test('starts aborted under a signal that has aborted', () => {
    using limit = limitTime(fakeClock(), 1000, tooLate, AbortSignal.abort('gone'));
    expect(limit.signal.reason).toBe('gone');
  });

  test('leaves no sleeper behind once disposed of', async () => {
    const clock = fakeClock();
    limitTime(clock, 1000, tooLate)[Symbol.dispose]();
    await clock.advance(0);
    expect(clock.sleepers).toBe(0);
  });
});

describe('fakeClock', () => {
  test('wakes sleepers in the order of their instants, each at its own', async () => {
    const clock = fakeClock(0);
    const woken: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.now()}`);
    };
    const all = [sleeper('c', 30), sleeper('a', 10), sleeper('b', 20).then(() => sleeper('d', 5))];
    await clock.advance(100);
    await Promise.all(all);
    expect(woken).toEqual(['a@10', 'b@20', 'd@25', 'c@30']);
  });

  test('steps the wall clock without moving time', () => {
    const clock = fakeClock(1000);
    clock.stepWall(600_000);
    expect([clock.now(), clock.wallNow()]).toEqual([1000, 601_000]);
  });
});
