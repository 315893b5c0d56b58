import { expect, test } from 'vitest';
import { allErrors } from './all-errors.js';

const first = new Error('first');
const second = new Error('second');
const third = new Error('third');

test('nothing is thrown when every check passes, or there is none', async () => {
  await allErrors([Promise.resolve(1)]);
  await allErrors([]);
});

test('one failure is thrown as it is', () =>
  expect(allErrors([Promise.resolve(), Promise.reject(first)])).rejects.toBe(first));

test('several are thrown together, in the order of their checks', () =>
  expect(
    allErrors([Promise.reject(first), Promise.resolve(), allErrors([Promise.reject(second), Promise.reject(third)])]),
  ).rejects.toMatchObject({
    errors: [first, second, third],
  }));
