import { fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { type Bucket, bucketBackend, Throttled } from '../../test/bucket-backend.js';
import { createPacer } from './pacer.js';

const never = (): AbortSignal => new AbortController().signal;
const isThrottle = (error: unknown): boolean => error instanceof Throttled;

function setUp(bucket: Partial<Bucket> = {}, seed = 1) {
  const clock = fakeClock();
  const backend = bucketBackend(clock, { size: 5, perSecond: () => 2, answerMs: 500, refusalMs: 100, ...bucket });
  const pacer = createPacer({ clock, random: seededRandom(seed), burst: 5, perSecond: 2, isThrottle });
  const start = clock.now();
  return { clock, backend, pacer, start };
}

/** Makes `count` calls through the pacer with at most `atOnce` asked for at a time, and says how it went. */
async function makeCalls(count: number, bucket: Partial<Bucket>, seed: number, atOnce = 64) {
  const { clock, backend, pacer, start } = setUp(bucket, seed);
  let left = count;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await pacer.run(() => backend.call(), never());
      done += 1;
    }
  };
  const workers = Promise.all(Array.from({ length: atOnce }, worker));
  for (let hour = 0; done < count && hour < 3_600; hour++) await clock.advance(1_000);
  await workers;
  return { seconds: (backend.lastGrantedAt - start) / 1000, refused: backend.refused, granted: backend.granted };
}

describe.each([1, 2, 3])('with the random seed %i', (seed) => {
  test('a steady rate is used up with few refusals, every call made once', async () => {
    const { seconds, refused, granted } = await makeCalls(500, {}, seed);
    expect(granted).toBe(500);
    expect(seconds).toBeLessThan(((500 - 5) / 2) * 1.05);
    expect(refused).toBeLessThan(500 * 0.05);
  });

  test('a rate that doubles and later falls to a quarter is followed', async () => {
    const perSecond = (ms: number): number => (ms < 60_000 ? 2 : ms < 120_000 ? 4 : 1);
    const { seconds, granted } = await makeCalls(500, { perSecond }, seed);
    expect(granted).toBe(500);
    expect(seconds).toBeLessThan(255.9 * 1.12);
  });
});

test('without throttles the calls in flight soon are all that are asked for', async () => {
  const { seconds, refused } = await makeCalls(500, { size: 10_000 }, 1);
  expect(refused).toBe(0);
  // 500 calls of half a second, 64 at a time, take 4 s, of which the last begins half a second before the end
  expect(seconds).toBeLessThan(6);
});

test('a throttled call is made again before those that came after it', async () => {
  const { clock, pacer } = setUp();
  const order: string[] = [];
  let throttles = 1;
  const call = (name: string) => async () => {
    order.push(name);
    if (throttles-- > 0) throw new Throttled();
    return name;
  };
  const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => pacer.run(call(name), never()));
  await clock.advance(60_000);
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'f', 'g']);
});

test('without throttles, calls are held back for half a second at most', async () => {
  const { seconds, refused } = await makeCalls(64, { size: 10_000 }, 1);
  expect(refused).toBe(0);
  expect(seconds).toBeLessThan(0.5);
});

test('a small bucket refuses few calls of the first burst', async () => {
  const { refused, granted } = await makeCalls(10, {}, 1, 10);
  expect(granted).toBe(10);
  expect(refused).toBeLessThanOrEqual(3);
});

test('of calls that wait those of a higher priority go first, then those that came first', async () => {
  const { clock, pacer } = setUp();
  const order: string[] = [];
  const call = (name: string) => async () => {
    order.push(name);
    await clock.sleep(10_000);
  };
  const started = ['a', 'b', 'c', 'd', 'e'].map((name) => pacer.run(call(name), never()));
  const waiting = [
    pacer.run(call('low'), never(), { priority: -1 }),
    pacer.run(call('first'), never()),
    pacer.run(call('second'), never()),
    pacer.run(call('urgent'), never(), { priority: 5 }),
  ];
  await clock.advance(60_000);
  await Promise.all([...started, ...waiting]);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'urgent', 'first', 'second', 'low']);
});

test('ten scale sets that want fifty each get as much as one another, at any time, and nobody starves', async () => {
  const { clock, backend, pacer } = setUp();
  const keys = Array.from({ length: 10 }, (_, at) => `set-${at}`);
  const served = new Map(keys.map((key) => [key, 0]));
  const call = async (key: string): Promise<void> => {
    await backend.call();
    served.set(key, (served.get(key) ?? 0) + 1);
  };
  const ofKey = (key: string) => Array.from({ length: 50 }, () => pacer.run(() => call(key), never(), { key }));
  const all = Promise.all(keys.flatMap(ofKey)); // each set's fifty after all of the one before
  const total = (): number => [...served.values()].reduce((sum, count) => sum + count, 0);
  const unfairness: number[] = [];
  for (let second = 0; total() < 500 && second < 600; second++) {
    await clock.advance(1_000);
    const counts = [...served.values()];
    const squares = counts.reduce((sum, count) => sum + count ** 2, 0);
    if (total() >= 100) unfairness.push(1 - total() ** 2 / (keys.length * squares));
  }
  await all;
  expect(total()).toBe(500);
  expect(Math.max(...unfairness)).toBeLessThan(0.05); // Jain's index is above 0.95
});

test('an error that is no throttle reaches the caller at once', async () => {
  const { pacer } = setUp();
  const refusal = new Error('no');
  await expect(pacer.run(() => Promise.reject(refusal), never())).rejects.toBe(refusal);
});

test("a waiting call ends with its caller's reason and leaves its place to the next", async () => {
  const { clock, pacer } = setUp();
  const stop = new AbortController();
  const reason = new Error('start timeout');
  let calls = 0;
  const throttledForEver = pacer.run(async () => {
    calls += 1;
    throw new Throttled();
  }, stop.signal);
  const outcome = throttledForEver.catch((error: unknown) => error);
  await clock.advance(10_000);
  const madeBefore = calls;
  stop.abort(reason);
  expect(await outcome).toBe(reason);
  await clock.advance(60_000);
  expect(calls).toBe(madeBefore);
  const next = pacer.run(async () => 'next', never());
  await clock.advance(60_000);
  expect(await next).toBe('next');
});

test('an ended signal makes no call', async () => {
  const { pacer } = setUp();
  let called = false;
  const call = async (): Promise<void> => {
    called = true;
  };
  await expect(pacer.run(call, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  expect(called).toBe(false);
});

test('nothing sleeps once no call waits', async () => {
  const { clock, pacer } = setUp();
  const stop = new AbortController();
  const calls = Array.from({ length: 3 }, () =>
    pacer.run(() => Promise.reject(new Throttled()), stop.signal).catch(() => {}),
  );
  await clock.advance(1_000);
  stop.abort(new Error('over'));
  await Promise.all(calls);
  expect(clock.sleepers).toBe(0);
});

test('every throttle is told with the pace it led to', async () => {
  const clock = fakeClock();
  const told: number[] = [];
  const pacer = createPacer({
    clock,
    random: seededRandom(1),
    burst: 5,
    perSecond: 2,
    isThrottle,
    onThrottle: (_error, perSecond) => told.push(perSecond),
  });
  let throttles = 2;
  const answer = pacer.run(async () => {
    if (throttles-- > 0) throw new Throttled();
    return 'done';
  }, never());
  await clock.advance(60_000);
  expect(await answer).toBe('done');
  expect(told).toEqual([2, 1.4]);
});
