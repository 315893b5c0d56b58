import { expect, test } from 'vitest';
import { askOnce } from './ask-once.js';

test('asks once for all who want to know, and keeps the answer', async () => {
  const asked: string[] = [];
  const ask = askOnce(async (key) => {
    asked.push(key);
    return key.toUpperCase();
  });
  expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual(['A', 'A', 'B']);
  expect(await ask('a')).toBe('A');
  expect(asked).toEqual(['a', 'b']);
});

test('a failure is told to all who waited, and asked about again', async () => {
  let calls = 0;
  const ask = askOnce(async () => {
    calls += 1;
    if (calls === 1) throw new Error('no answer');
    return 'answer';
  });
  const outcomes = await Promise.allSettled([ask('a'), ask('a')]);
  expect(outcomes.map((one) => one.status)).toEqual(['rejected', 'rejected']);
  expect(await ask('a')).toBe('answer');
  expect(calls).toBe(2);
});
