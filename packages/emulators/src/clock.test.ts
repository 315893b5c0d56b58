import { expect, test, vi } from 'vitest';
import { manualClock, realClock, scopedClock } from './clock.js';

test('a manual clock fires timers in order, each at its own instant', () => {
  const clock = manualClock(1000);
  const fired: [string, number][] = [];
  clock.after(30, () => fired.push(['late', clock.now()]));
  clock.after(10, () => fired.push(['early', clock.now()]));
  clock.advance(29);
  expect(fired).toEqual([['early', 1010]]);
  clock.advance(1);
  expect(fired).toEqual([
    ['early', 1010],
    ['late', 1030],
  ]);
  expect(clock.now()).toBe(1030);
});

test('a timer set by a timer fires within the same advance when it falls due', () => {
  const clock = manualClock(0);
  const fired: number[] = [];
  const again = (): void => {
    fired.push(clock.now());
    clock.after(10, again);
  };
  clock.after(10, again);
  clock.advance(35);
  expect(fired).toEqual([10, 20, 30]);
});

test('a stopped timer does not fire', () => {
  const clock = manualClock(0);
  const run = vi.fn();
  clock.after(5, run)();
  clock.advance(10);
  expect(run).not.toHaveBeenCalled();
});

test('closing a scope stops its timers and no others', () => {
  const clock = manualClock(0);
  const scope = scopedClock(clock);
  const inside = vi.fn();
  const outside = vi.fn();
  scope.after(5, inside);
  clock.after(5, outside);
  scope.close();
  scope.after(5, inside);
  clock.advance(10);
  expect(inside).not.toHaveBeenCalled();
  expect(outside).toHaveBeenCalledTimes(1);
  expect(clock.waiting).toBe(0);
});

test('the real clock waits longer than one timer of Node can', () => {
  vi.useFakeTimers();
  try {
    const run = vi.fn();
    const days = 24 * 60 * 60 * 1000;
    realClock.after(30 * days, run);
    vi.advanceTimersByTime(30 * days - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});
