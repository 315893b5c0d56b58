import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failureIntervalMs, RESERVED_REQUESTS, spendingPauseMs } from './listing-interval.js';

const HOUR_MS = 3_600_000;

test.each([
  ['no limit', 100, undefined, 0],
  ['nothing that counts', 0, { limit: 5000, remaining: 5000, untilResetMs: HOUR_MS }, 0],
  // 4,900 may be spent in an hour, at five times the pace at which they just last.
  ['one page of a full budget', 1, { limit: 5000, remaining: 5000, untilResetMs: HOUR_MS }, HOUR_MS / 4900 / 5],
  ['a hundred pages of a full budget', 100, { limit: 5000, remaining: 5000, untilResetMs: HOUR_MS }, 14_694],
  // 200 in 40 minutes and 10 more, at half that pace.
  ['a page of a budget nearly spent', 1, { limit: 5000, remaining: 300, untilResetMs: 2_400_000 }, 30_000],
  ['the last hundred', 1, { limit: 5000, remaining: 100, untilResetMs: 1_000 }, undefined],
  ['more than is left', 50, { limit: 5000, remaining: 149, untilResetMs: 1_000 }, undefined],
] as const)('%s', (_, cost, budget, pause) => {
  if (pause === undefined) expect(spendingPauseMs(cost, budget)).toBeUndefined();
  else expect(spendingPauseMs(cost, budget)).toBeCloseTo(pause, -1);
});

test('asking as often as allowed never touches what is reserved before the window ends', () => {
  const start = fc.record({
    cost: fc.integer({ min: 1, max: 120 }),
    remaining: fc.integer({ min: 0, max: 5000 }),
    untilResetMs: fc.integer({ min: 1_000, max: HOUR_MS }),
  });
  fc.assert(
    fc.property(start, ({ cost, remaining, untilResetMs }) => {
      let left = remaining;
      for (let until = untilResetMs; until > 0; ) {
        const pause = spendingPauseMs(cost, { limit: 5000, remaining: left, untilResetMs: until });
        if (pause === undefined) break;
        left -= cost;
        until -= Math.max(pause, 4_500);
      }
      expect(left).toBeGreaterThanOrEqual(Math.min(remaining, RESERVED_REQUESTS));
    }),
  );
});

test('a budget that others have nearly spent is left half unspent', () => {
  const untilResetMs = 2_400_000;
  let remaining = 300;
  for (let until = untilResetMs; until > 0; ) {
    const pause = spendingPauseMs(6, { limit: 5000, remaining, untilResetMs: until });
    if (pause === undefined) break;
    remaining -= 6;
    until -= pause;
  }
  expect(remaining).toBeGreaterThan(150);
});

test('failures in a row are waited for longer and longer, to half a minute', () => {
  expect([1, 2, 3, 4, 9].map(failureIntervalMs)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
});
