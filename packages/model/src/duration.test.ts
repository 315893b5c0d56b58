import { describe, expect, test } from 'vitest';
import { formatDuration, formatDurationMs, parseDuration, roundedDuration } from './duration.js';

describe('parseDuration', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['+0', 0n],
    ['-0', 0n],
    ['0s', 0n],
    ['30s', 30_000_000_000n],
    ['1h30m', 5_400_000_000_000n],
    ['1.5h', 5_400_000_000_000n],
    ['1m1m', 120_000_000_000n],
    ['1s1h', 3_601_000_000_000n],
    ['-1.5s', -1_500_000_000n],
    ['+5m', 300_000_000_000n],
    ['1.s', 1_000_000_000n],
    ['.5s', 500_000_000n],
    ['300ms', 300_000_000n],
    ['7us', 7_000n],
    ['7\u00b5s', 7_000n],
    ['7\u03bcs', 7_000n],
    ['9ns', 9n],
    ['0.9ns', 0n],
    ['0.1h', 360_000_000_000n],
    [`${'0'.repeat(50)}1s`, 1_000_000_000n],
    ['9223372036854775807ns', 9_223_372_036_854_775_807n],
    ['-9223372036854775808ns', -9_223_372_036_854_775_808n],
  ])('reads %s', (text, want) => expect(parseDuration(text)).toBe(want));

  test.each([
    '',
    '+',
    '-',
    '30',
    '.s',
    's',
    '1 s',
    ' 1s',
    '1s ',
    '1d',
    '1w',
    '1S',
    '1h30',
    '--1s',
    '1e3s',
    '1,5s',
    '9223372036854775808ns',
    '-9223372036854775809ns',
    '2562048h',
    '99999999999999999999h',
  ])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());
});

describe('formatDuration', () => {
  test.each<[bigint, string]>([
    [0n, '0s'],
    [1n, '1ns'],
    [999n, '999ns'],
    [1_000n, '1\u00b5s'],
    [1_500n, '1.5\u00b5s'],
    [1_500_000n, '1.5ms'],
    [999_999_999n, '999.999999ms'],
    [1_000_000_000n, '1s'],
    [30_000_000_000n, '30s'],
    [300_000_000_000n, '5m0s'],
    [3_600_000_000_000n, '1h0m0s'],
    [3_723_500_000_000n, '1h2m3.5s'],
    [60_000_000_001n, '1m0.000000001s'],
    [-90_000_000_000n, '-1m30s'],
    [-9_223_372_036_854_775_808n, '-2562047h47m16.854775808s'],
  ])('writes %d as %s', (nanoseconds, want) => expect(formatDuration(nanoseconds)).toBe(want));
});

test.each<[number, string]>([
  [0, '0s'],
  [1, '1ms'],
  [1500.25, '1.50025s'],
  [-0.5, '-500\u00b5s'],
  [86_400_000, '24h0m0s'],
])('formatDurationMs writes %d ms as %s', (ms, want) => expect(formatDurationMs(ms)).toBe(want));

test.each<[number, string]>([
  [0, '0s'],
  [0.4, '0s'],
  [12.6, '13ms'],
  [999.4, '999ms'],
  [999.6, '1s'],
  [1_499, '1s'],
  [1_500, '2s'],
  [61_200, '1m1s'],
])('roundedDuration shows %d ms as %s', (ms, want) => expect(roundedDuration(ms)).toBe(want));
