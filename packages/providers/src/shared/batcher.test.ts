import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { createBatcher } from './batcher.js';

const unending = (): AbortSignal => new AbortController().signal;
const fulfilled = (value: string) => ({ status: 'fulfilled', value }) as const;

/** A batcher whose batches are answered by hand. */
function setUp(most = 1_000) {
  const clock = fakeClock();
  const sent: { items: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const batcher = createBatcher<string, string>({
    clock,
    windowMs: 10,
    patienceMs: 1_000,
    most,
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, answer: () => resolve(items.map((item) => fulfilled(`${item}!`))), fail: reject });
      }),
  });
  const batches = (): (readonly string[])[] => sent.map((one) => one.items);
  return { clock, batcher, sent, batches };
}

test('what comes within the window goes together, and each gets its own answer', async () => {
  const { clock, batcher, sent, batches } = setUp();
  const answers = [batcher.add('a', unending())];
  await clock.advance(9);
  answers.push(batcher.add('b', unending()));
  expect(batches()).toEqual([]);
  await clock.advance(1);
  expect(batches()).toEqual([['a', 'b']]);
  sent[0]?.answer();
  expect(await Promise.all(answers)).toEqual(['a!', 'b!']);
});

test('what comes while a batch is in flight waits for its answer', async () => {
  const { clock, batcher, sent, batches } = setUp();
  void batcher.add('a', unending());
  await clock.advance(10);
  void batcher.add('b', unending());
  await clock.advance(200);
  void batcher.add('c', unending());
  await clock.advance(200);
  expect(batches()).toEqual([['a']]);
  sent[0]?.answer();
  await clock.advance(0);
  expect(batches()).toEqual([['a'], ['b', 'c']]);
});

test('a batch that is not answered holds the next one up for a second and no longer', async () => {
  const { clock, batcher, batches } = setUp();
  void batcher.add('a', unending());
  await clock.advance(10);
  void batcher.add('b', unending());
  await clock.advance(1_009);
  expect(batches()).toEqual([['a']]);
  await clock.advance(1);
  expect(batches()).toEqual([['a'], ['b']]);
});

test('more than one batch holds go in several', async () => {
  const { clock, batcher, sent, batches } = setUp(2);
  const answers = ['a', 'b', 'c'].map((item) => batcher.add(item, unending()));
  await clock.advance(10);
  sent[0]?.answer();
  await clock.advance(10);
  sent[1]?.answer();
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!']);
  expect(batches()).toEqual([['a', 'b'], ['c']]);
});

test('a caller that ends takes back what was not sent, and only itself', async () => {
  const { clock, batcher, sent, batches } = setUp();
  const stop = new AbortController();
  const reason = new Error('enough');
  const left = batcher.add('a', stop.signal).catch((error: unknown) => error);
  const stays = batcher.add('b', unending());
  stop.abort(reason);
  expect(await left).toBe(reason);
  await clock.advance(10);
  expect(batches()).toEqual([['b']]);
  sent[0]?.answer();
  expect(await stays).toBe('b!');
});

test('nothing is sent when every caller has left', async () => {
  const { clock, batcher, batches } = setUp();
  const stop = new AbortController();
  const left = batcher.add('a', stop.signal).catch(() => 'left');
  stop.abort();
  expect(await left).toBe('left');
  await clock.advance(10);
  expect(batches()).toEqual([]);
  void batcher.add('b', unending());
  await clock.advance(10);
  expect(batches()).toEqual([['b']]);
});

test('a batch that fails as a whole fails each of its items, and the next goes on', async () => {
  const { clock, batcher, sent } = setUp();
  const error = new Error('no answer');
  const failing = ['a', 'b'].map((item) => batcher.add(item, unending()).catch((reason: unknown) => reason));
  await clock.advance(10);
  sent[0]?.fail(error);
  expect(await Promise.all(failing)).toEqual([error, error]);
  const next = batcher.add('c', unending());
  await clock.advance(10);
  sent[1]?.answer();
  expect(await next).toBe('c!');
});
