import { expect, test } from 'vitest';
import { askTogether } from './ask-together.js';

test('whoever asks while an answer is awaited gets that one, for its own key', async () => {
  const asked: string[] = [];
  const ask = askTogether(async (key) => {
    asked.push(key);
    await Promise.resolve();
    return `${key}!`;
  });
  expect(await Promise.all([ask('a'), ask('b'), ask('a')])).toEqual(['a!', 'b!', 'a!']);
  expect(asked).toEqual(['a', 'b']);
});

test('an answer is not kept, nor is a failure', async () => {
  let times = 0;
  const ask = askTogether(async () => {
    times += 1;
    if (times === 1) throw new Error('not yet');
    return times;
  });
  await expect(ask('a')).rejects.toThrow('not yet');
  expect(await ask('a')).toBe(2);
  expect(await ask('a')).toBe(3);
});
