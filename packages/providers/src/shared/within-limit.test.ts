import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { waitFor, withinLimit } from './within-limit.js';

const unending = (): AbortSignal => new AbortController().signal;
const never = (): Promise<never> => new Promise(() => {});
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

test('work that ends in time is answered, and leaves no timer', async () => {
  const clock = fakeClock();
  expect(await withinLimit(clock, 1_000, 'Asking', unending(), async () => 'answer')).toBe('answer');
  await clock.advance(0);
  expect(clock.sleepers).toBe(0);
});

test('work that does not heed its signal ends at the limit all the same, and not before', async () => {
  const clock = fakeClock();
  let settled = false;
  const outcome = outcomeOf(withinLimit(clock, 1_500, 'Asking', unending(), never)).finally(() => {
    settled = true;
  });
  await clock.advance(1_499);
  expect(settled).toBe(false);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ code: 'unavailable', message: 'Asking was not answered within 1.5 s' });
});

test("the caller's reason comes first, also before the work begins", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const reason = new Error('enough');
  const outcome = outcomeOf(withinLimit(clock, 1_000, 'Asking', stop.signal, never));
  stop.abort(reason);
  expect(await outcome).toBe(reason);
  let began = false;
  const late = withinLimit(clock, 1_000, 'Asking', stop.signal, async () => {
    began = true;
  });
  expect(await outcomeOf(late)).toBe(reason);
  expect(began).toBe(false);
});

test('waiting is given up without the promise, whose late failure is nobody’s', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  let fail = (_error: Error): void => {};
  const promise = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const outcome = outcomeOf(waitFor(promise, stop.signal));
  stop.abort(reason);
  expect(await outcome).toBe(reason);
  fail(new Error('late'));
  await new Promise((resolve) => setImmediate(resolve));
});
