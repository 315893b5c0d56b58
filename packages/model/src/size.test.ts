import { describe, expect, test } from 'vitest';
import { exactSize, formatSize, parseSize } from './size.js';

describe('parseSize', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['0GiB', 0n],
    ['1', 1n],
    ['1b', 1n],
    ['1B', 1n],
    ['4294967296', 4_294_967_296n],
    ['4GiB', 4_294_967_296n],
    ['4GB', 4_294_967_296n],
    ['4g', 4_294_967_296n],
    ['4 GiB', 4_294_967_296n],
    ['4gIb', 4_294_967_296n],
    ['4 ', 4n],
    ['+4k', 4_096n],
    ['1.5GiB', 1_610_612_736n],
    ['.5k', 512n],
    ['1.k', 1_024n],
    ['1e3', 1_000n],
    ['1E3k', 1_024_000n],
    ['1.5e-1k', 153n],
    ['1.9', 1n],
    ['0.1k', 102n],
    ['1m', 1_048_576n],
    ['1tb', 1_099_511_627_776n],
    ['1p', 1_125_899_906_842_624n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['1e-999999', 0n],
  ])('reads %s', (text, want) => expect(parseSize(text)).toBe(want));

  test.each([
    '',
    ' ',
    '-1',
    '-1k',
    'k',
    '4XB',
    '4gibb',
    '4ki',
    '4bb',
    '4  GiB',
    ' 4GiB',
    '4GiB ',
    '1e',
    '1,5k',
    '0x10',
    'inf',
    'nan',
    '9223372036854775808',
    '8192p',
    '1e400',
    '1e999999',
    '1e9999999999',
    '1'.repeat(500),
  ])('refuses %j', (text) => expect(parseSize(text)).toBeUndefined());
});

describe('formatSize', () => {
  test.each<[bigint, string]>([
    [0n, '0B'],
    [1n, '1B'],
    [1_023n, '1023B'],
    [1_024n, '1KiB'],
    [536_870_912n, '512MiB'],
    [4_294_967_296n, '4GiB'],
    [1_610_612_736n, '1.5GiB'],
    [1_234_567n, '1.177MiB'],
    [1_125_899_906_842_624n, '1PiB'],
    [11_529_215_046_068_469_760n, '10240PiB'],
  ])('writes %d as %s', (bytes, want) => expect(formatSize(bytes)).toBe(want));

  test('puts a space before the unit when asked', () => expect(formatSize(4_294_967_296n, ' ')).toBe('4 GiB'));
});

test.each([
  [0n, '0B'],
  [1023n, '1023B'],
  [1024n, '1KiB'],
  [1025n, '1025B'],
  [1536n * 1024n ** 2n, '1536MiB'],
  [4n * 1024n ** 3n, '4GiB'],
  [2n ** 62n, '4096PiB'],
  [2n ** 63n - 1n, '9223372036854775807B'],
])('%d bytes are exactly %s', (bytes, text) => {
  expect(exactSize(bytes)).toBe(text);
  expect(parseSize(text)).toBe(bytes);
});
