import { expect, test } from 'vitest';
import { learnRate } from './learned-rate.js';

/** Sends `count` tries, `everyMs` apart, beginning at `from`; the time of the last. */
function send(rate: ReturnType<typeof learnRate>, count: number, everyMs: number, from: number): number {
  for (let n = 0; n < count; n++) rate.sent(from + n * everyMs);
  return from + (count - 1) * everyMs;
}

test('after a refusal the next try waits for one and a quarter', () => {
  const rate = learnRate(2, 5, 0, 100);
  expect(rate.waitMs(100)).toBe(625);
  expect(rate.waitMs(725)).toBe(0);
});

test('after a pause as many go at once as the burst allows, and no more', () => {
  const rate = learnRate(2, 5, 0, 0);
  for (let n = 0; n < 5; n++) {
    expect(rate.waitMs(60_000)).toBe(0);
    rate.sent(60_000);
  }
  expect(rate.waitMs(60_000)).toBe(500);
});

test('what was granted between two refusals is the rate', () => {
  const rate = learnRate(2, 5, 0, 0);
  const last = send(rate, 13, 250, 1_000); // 12 granted and one refused, at 4,000 ms
  rate.refused(last, last);
  expect(rate.perSecond).toBe(3);
});

test('too few granted to measure cut the rate', () => {
  const rate = learnRate(2, 5, 0, 0);
  const last = send(rate, 8, 500, 625); // 7 granted
  rate.refused(last, last);
  expect(rate.perSecond).toBe(1.4);
});

test('a refusal of a try sent before the last one was learned teaches nothing', () => {
  const rate = learnRate(2, 5, 0, 100);
  rate.refused(50, 150);
  rate.refused(99, 160);
  expect(rate.perSecond).toBe(2);
});

test('the first refusal after a pause only says that the bucket is empty now', () => {
  const rate = learnRate(2, 5, 0, 0);
  const last = send(rate, 3, 10, 60_000);
  rate.refused(last, last);
  expect(rate.perSecond).toBe(2);
});

test('the rate grows from the 27th try without a refusal on', () => {
  const rate = learnRate(2, 5, 0, 0);
  send(rate, 26, 500, 625);
  expect(rate.perSecond).toBe(2);
  rate.sent(14_000);
  expect(rate.perSecond).toBeCloseTo(2.16, 10);
});

test('never falls below one try in half a minute', () => {
  const rate = learnRate(0.04, 5, 0, 0);
  for (let at = 1_000; at < 5_000; at += 1_000) {
    rate.sent(at);
    rate.refused(at, at);
  }
  expect(rate.perSecond).toBeCloseTo(1 / 30, 10);
});
