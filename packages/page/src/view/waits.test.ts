import { describe, expect, test } from 'vitest';
import { event, NINE } from '../../test/fake-source.js';
import { EventBook } from './event-book.js';
import { percentile, waitsView } from './waits.js';

const HOUR = 3_600_000;

describe('a percentile', () => {
  test.each([
    [[], 50, undefined],
    [[7], 50, 7],
    [[7], 95, 7],
    [[1, 2], 50, 1],
    [[1, 2, 3], 50, 2],
    [Array.from({ length: 20 }, (_, n) => n + 1), 95, 19],
    [Array.from({ length: 21 }, (_, n) => n + 1), 95, 20],
    [Array.from({ length: 100 }, (_, n) => n + 1), 95, 95],
  ])('of %j at %i is %s', (sorted, percent, value) => expect(percentile(sorted, percent)).toBe(value));
});

describe('the waits over the day', () => {
  const wait = (at: number, seconds: number, scaleSet = 'vm') => ({ at, ms: seconds * 1_000, scaleSet });

  test('are by hour, the one that runs now last', () => {
    const waits = [
      wait(NINE - 23 * HOUR, 50),
      wait(NINE - 1, 10),
      wait(NINE, 30),
      wait(NINE + 1, 20),
      wait(NINE - 23 * HOUR - 1, 999),
    ];
    const { hours, day } = waitsView(waits, NINE - 30 * HOUR, NINE + HOUR / 2);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toEqual({ from: NINE - 23 * HOUR, jobs: 1, p50: 50_000, p95: 50_000 });
    expect(hours[1]).toEqual({ from: NINE - 22 * HOUR, jobs: 0 });
    expect(hours[22]).toEqual({ from: NINE - HOUR, jobs: 1, p50: 10_000, p95: 10_000 });
    expect(hours[23]).toEqual({ from: NINE, jobs: 2, p50: 20_000, p95: 30_000 });
    expect(day).toEqual({ jobs: 4, p50: 20_000, p95: 50_000 });
  });

  test('are by scale set too, the longest first', () => {
    const waits = [wait(NINE, 5, 'quick'), wait(NINE, 9, 'slow'), wait(NINE, 9, 'also slow')];
    expect(waitsView(waits, undefined, NINE).scaleSets.map(({ scaleSet }) => scaleSet)).toEqual([
      'also slow',
      'slow',
      'quick',
    ]);
  });

  test('say since when anything is known, where that is not the whole day', () => {
    expect(waitsView([], NINE - HOUR, NINE)).toMatchObject({ knownSince: NINE - HOUR, day: { jobs: 0 } });
    expect(waitsView([], NINE - 25 * HOUR, NINE)).not.toHaveProperty('knownSince');
    expect(waitsView([], undefined, NINE)).not.toHaveProperty('knownSince');
  });

  test('come from the starts of jobs that tell how long they waited', () => {
    const book = new EventBook();
    book.take(event('job_started', 'vm-1', NINE, { job_id: 'a', wait: '1m2.5s' }));
    book.take(event('job_started', 'vm-2', NINE + 1, { job_id: 'b' }));
    book.take(event('job_started', 'vm-3', NINE + 2, { job_id: 'c', wait: 'a while' }));
    expect(book.waits).toEqual([{ at: NINE, ms: 62_500, scaleSet: 'vm' }]);
    expect(book.firstKnown).toBe(NINE);
  });

  test('stay bounded whatever comes', () => {
    const book = new EventBook();
    const start = (n: number, time: number): void =>
      book.take(event('job_started', `vm-${n}`, time, { job_id: `j${n}`, wait: '1s' }));
    for (let n = 0; n <= 20_000; n++) start(n, NINE + n);
    expect(book.waits.length).toBe(10_000);
    expect(book.jobs.size).toBe(1_000);
    start(1, NINE + 60_000);
    expect(book.waits.at(-1)?.at).toBe(NINE + 60_000);
  });
});
