import { expect, test } from 'vitest';
import { finish, inTurns, type Steps } from './steps.js';

function* countTo(most: number, onStep: (step: number) => void): Steps<string> {
  for (let step = 1; step <= most; step++) {
    onStep(step);
    yield;
  }
  return `counted to ${most}`;
}

test('a computation gives the same at once and in turns', async () => {
  expect(finish(countTo(5, () => {}))).toBe('counted to 5');
  expect(
    await inTurns(
      countTo(5, () => {}),
      new AbortController().signal,
    ),
  ).toBe('counted to 5');
});

test('in turns it hears an event before its next step, and ends with the reason', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  const seen: number[] = [];
  const computing = inTurns(
    countTo(1000, (step) => {
      seen.push(step);
      if (step === 3) setImmediate(() => stop.abort(reason));
    }),
    stop.signal,
  );
  await expect(computing).rejects.toBe(reason);
  expect(seen).toEqual([1, 2, 3]);
});
