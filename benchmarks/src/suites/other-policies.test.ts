import { expect, test } from 'vitest';
import { oneAtATimeMs, retryWithJitter, skipWhenRefused } from './other-policies.js';

const unlimited = { size: 1_000, perSecond: () => 1_000 };
const twoASecond = { size: 5, perSecond: () => 2 };

test('one machine after the other takes a registration and a creation each', () => {
  expect(oneAtATimeMs(500)).toBe(350_000);
});

test('without a throttle every policy asks once for each machine, all at once', () => {
  expect(skipWhenRefused(unlimited, 5, 100)).toEqual({ lastCreatedMs: 700, requests: 500 });
  expect(retryWithJitter(unlimited, 500, 1)).toEqual({ lastCreatedMs: 700, requests: 500 });
});

test('a provider skipped for every refusal makes no more in two minutes than its bucket holds', () => {
  // 8 machines: 5 at once; of the other 3 the third refusal has it wait a minute; then all 3.
  expect(skipWhenRefused(twoASecond, 1, 8)).toEqual({ lastCreatedMs: 200 + 100 + 60_000 + 200 + 500, requests: 11 });
});

test('retries use the whole rate, at many requests for a machine', () => {
  const { lastCreatedMs, requests } = retryWithJitter(twoASecond, 105, 1);
  // 5 at once and 100 at two a second; a retry may come up to 20 s after there was room for it.
  expect(lastCreatedMs).toBeGreaterThanOrEqual(50_000);
  expect(lastCreatedMs).toBeLessThan(200 + 50_000 + 20_000 + 500);
  expect(requests).toBeGreaterThan(2 * 105);
});
