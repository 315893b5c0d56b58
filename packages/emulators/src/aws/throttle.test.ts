import { expect, test } from 'vitest';
import { Throttle } from './throttle.js';

function throttleAt(start: number): { throttle: Throttle; at: (now: number) => void } {
  let now = start;
  const throttle = new Throttle(() => now, { RunInstances: { bucket: 5, perSecond: 2 } });
  return {
    throttle,
    at: (next) => {
      now = next;
    },
  };
}

const takeAll = (throttle: Throttle): number => {
  let taken = 0;
  while (taken < 100 && throttle.take('RunInstances')) taken += 1;
  return taken;
};

test('lets a full bucket through at once, and no more', () => {
  expect(takeAll(throttleAt(0).throttle)).toBe(5);
});

test('gives one call back every half second at two a second', () => {
  const { throttle, at } = throttleAt(0);
  takeAll(throttle);
  at(499);
  expect(takeAll(throttle)).toBe(0);
  at(500);
  expect(takeAll(throttle)).toBe(1);
  at(2000);
  expect(takeAll(throttle)).toBe(3);
});

test('never holds more than the bucket', () => {
  const { throttle, at } = throttleAt(0);
  at(3_600_000);
  expect(takeAll(throttle)).toBe(5);
});

test('keeps what is left in the bucket when the rate changes', () => {
  const { throttle, at } = throttleAt(0);
  takeAll(throttle);
  throttle.set('RunInstances', { bucket: 5, perSecond: 4 });
  expect(takeAll(throttle)).toBe(0);
  at(1000);
  expect(takeAll(throttle)).toBe(4);
});

test('holds back no action without a rate', () => {
  const { throttle } = throttleAt(0);
  throttle.set('RunInstances', undefined);
  expect(takeAll(throttle)).toBe(100);
});
