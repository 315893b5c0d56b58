import { expect, test } from 'vitest';
import { readOptions } from './options.js';
import { hasGrown } from './run.js';

const MEBIBYTE = 1024 * 1024;
const usage = (mebibytes: number) => ({ heapBytes: mebibytes * MEBIBYTE, rssBytes: 0, cpuMs: 0 });

test.each([
  [100, 90, false],
  [100, 118, false],
  [100, 120, true],
  [10, 15, false],
  [10, 16, true],
])('a heap of %d MiB that is %d MiB at the end: has it grown? %s', (first, last, grown) => {
  expect(hasGrown({ first: usage(first), last: usage(last) })).toBe(grown);
});

test('flags that are not given are those of the whole load, and none may be 0', () => {
  expect(readOptions(['--runners', '20'])).toEqual({
    runners: 20,
    scaleSets: 200,
    followers: 100,
    seconds: 180,
    jobsPerSecond: 4,
  });
  expect(() => readOptions(['--seconds', '0'])).toThrow('--seconds 0: want a whole number from 1.');
});
