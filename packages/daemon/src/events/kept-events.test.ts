import type { RungarEvent } from '@rungar/model';
import { expect, test } from 'vitest';
import { createKeptEvents, type KeptEvent } from './kept-events.js';

const entry = (time: number, name = 'a'): KeptEvent => {
  const event: RungarEvent = { time, kind: 'runner', action: 'created', name };
  return { event, line: String(time) };
};

const filled = (maxCount: number, ...times: number[]) => {
  const kept = createKeptEvents(maxCount);
  for (const time of times) kept.add(entry(time));
  return kept;
};

const timesOf = (events: readonly RungarEvent[]): number[] => events.map(({ time }) => time);
const lines = (kept: ReturnType<typeof createKeptEvents>): string[] => kept.snapshot().map(({ line }) => line);

test.each([
  [[], []],
  [
    [1, 2],
    ['1', '2'],
  ],
  [
    [1, 2, 3],
    ['1', '2', '3'],
  ],
  [
    [1, 2, 3, 4],
    ['2', '3', '4'],
  ],
  [
    [1, 2, 3, 4, 5, 6, 7, 8],
    ['6', '7', '8'],
  ],
])('of %j the newest three are kept, oldest first', (times, kept) => {
  expect(lines(filled(3, ...times))).toEqual(kept);
});

test('what is too old goes, also where the oldest stands in the middle, and there is room for as many again', () => {
  const kept = filled(3, 1, 2, 3, 4);
  kept.dropBefore(4);
  expect(lines(kept)).toEqual(['4']);
  for (const time of [5, 6, 7]) kept.add(entry(time));
  expect(lines(kept)).toEqual(['5', '6', '7']);
  kept.dropBefore(100);
  expect(lines(kept)).toEqual([]);
  kept.add(entry(8));
  expect(lines(kept)).toEqual(['8']);
});

test('another limit keeps the newest, and holds from then on', () => {
  const kept = filled(3, 1, 2, 3, 4, 5);
  kept.limitTo(2);
  expect(lines(kept)).toEqual(['4', '5']);
  kept.add(entry(6));
  expect(lines(kept)).toEqual(['5', '6']);
  kept.limitTo(4);
  for (const time of [7, 8, 9]) kept.add(entry(time));
  expect(lines(kept)).toEqual(['6', '7', '8', '9']);
});

test('a query gives the last that match, oldest first, and all of them without a limit', () => {
  const kept = createKeptEvents(4);
  for (const [time, name] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
    [4, 'b'],
    [5, 'a'],
  ] as const)
    kept.add(entry(time, name));
  expect(timesOf(kept.select({ runner: 'a' }))).toEqual([3, 5]);
  expect(timesOf(kept.select({ limit: 3 }))).toEqual([3, 4, 5]);
  expect(timesOf(kept.select({ runner: 'b', limit: 1 }))).toEqual([4]);
  expect(timesOf(kept.select({ since: 4, limit: 0 }))).toEqual([4, 5]);
  expect(() => kept.select({ limit: -1 })).toThrow('the limit of events must not be negative, got -1');
});
