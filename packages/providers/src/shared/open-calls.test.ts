import { expect, test } from 'vitest';
import { trackCalls } from './open-calls.js';

const closed = new Error('closed');
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

test("a call ends with its caller's reason", async () => {
  const calls = trackCalls(() => closed);
  const stop = new AbortController();
  const outcome = outcomeOf(calls.run(stop.signal, untilAborted));
  const reason = new Error('enough');
  stop.abort(reason);
  expect(await outcome).toBe(reason);
});

test('closing ends every call, waits for them, and refuses later ones before they begin', async () => {
  const calls = trackCalls(() => closed);
  let ended = 0;
  const outcomes = [1, 2].map(() =>
    outcomeOf(
      calls.run(undefined, (signal) =>
        untilAborted(signal).finally(() => {
          ended += 1;
        }),
      ),
    ),
  );
  await Promise.all([calls.close(), calls.close()]);
  expect(ended).toBe(2);
  expect(await Promise.all(outcomes)).toEqual([closed, closed]);
  let began = false;
  const later = calls.run(undefined, async () => {
    began = true;
  });
  expect(await outcomeOf(later)).toBe(closed);
  expect(began).toBe(false);
});

test('a call of an ended caller does not begin', async () => {
  const calls = trackCalls(() => closed);
  const reason = new Error('over');
  let began = false;
  const call = calls.run(AbortSignal.abort(reason), async () => {
    began = true;
  });
  expect(await outcomeOf(call)).toBe(reason);
  expect(began).toBe(false);
});

test('a call that has ended is answered as it ended', async () => {
  const calls = trackCalls(() => closed);
  expect(await calls.run(undefined, async () => 'answer')).toBe('answer');
  await calls.close();
});
