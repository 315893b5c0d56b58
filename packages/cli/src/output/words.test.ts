import { describe, expect, test } from 'vitest';
import { age, enumWords, localTime, plural, wait } from './words.js';

test.each([
  [0, '0 runners'],
  [1, '1 runner'],
  [2, '2 runners'],
])('%i is "%s"', (count, text) => {
  expect(plural(count, 'runner')).toBe(text);
});

test('a plural of its own can be given', () => {
  expect(plural(2, 'entry', 'entries')).toBe('2 entries');
});

const SECOND = 1000;
const HOUR = 3600 * SECOND;
test.each([
  [undefined, '-'],
  [Number.NaN, '-'],
  [-1, '-'],
  [0, '0s'],
  [59_999, '59s'],
  [60 * SECOND, '1m'],
  [HOUR - 1, '59m'],
  [HOUR, '1h'],
  [24 * HOUR - 1, '23h'],
  [24 * HOUR, '1d'],
  [400 * 24 * HOUR, '400d'],
])('an age of %s ms is %s: the largest whole unit, floored', (ms, text) => {
  expect(age(ms)).toBe(text);
});

test.each([
  ['9s', '9s'],
  ['1.500s', '2s'],
  ['0.400s', '0s'],
  ['90s', '1m30s'],
  ['3605.200s', '1h0m5s'],
  [undefined, '-'],
  ['soon', '-'],
])('a duration of %s is said as %s', (text, said) => {
  expect(wait(text)).toBe(said);
});

describe('times are local', () => {
  test('with two digits everywhere', () => {
    expect(localTime(new Date(2027, 1, 3, 4, 5, 6).getTime())).toBe('2027-02-03 04:05:06');
  });
});

test.each([
  ['RUNNER_STATE_STARTING', 'RUNNER_STATE_', 'Starting'],
  ['EVENT_ACTION_MIN_RUNNERS_CHANGED', 'EVENT_ACTION_', 'Min runners changed'],
  ['RUNNER_STATE_UNSPECIFIED', 'RUNNER_STATE_', '-'],
  [undefined, 'RUNNER_STATE_', '-'],
  ['', 'RUNNER_STATE_', '-'],
])('%s is said as words', (value, prefix, words) => {
  expect(enumWords(value, prefix)).toBe(words);
});
