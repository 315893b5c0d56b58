import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Turn } from '../shared/fair-queue.js';
import type { Pacer } from '../shared/pacer.js';
import { createQuotaPacer } from './quota-pacer.js';

const THROTTLE = new Error('too often');
/** Ten seconds into a minute. */
const START = Date.UTC(2027, 0, 4, 9, 0, 10);

let clock: FakeClock;
let pacer: Pacer;
let pauses: number[];
let sent: number[];

beforeEach(() => {
  clock = fakeClock(START);
  pauses = [];
  sent = [];
  pacer = createQuotaPacer({
    clock,
    random: { bytes: () => new Uint8Array(), fraction: () => 0 },
    isThrottle: (error) => error === THROTTLE,
    onPause: (_, ms) => void pauses.push(ms),
  });
});

const unending = (): AbortSignal => new AbortController().signal;

/** A call that takes 100 ms, unless there is no more room this minute. */
function limited(perMinute: number): () => Promise<void> {
  let minute = 0;
  let used = 0;
  return async () => {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) used = 0;
    minute = now;
    sent.push(clock.now() - START);
    used += 1;
    const granted = used <= perMinute;
    await clock.sleep(100);
    if (!granted) throw THROTTLE;
  };
}

async function running(promise: Promise<unknown>): Promise<void> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  while (!settled) await clock.advance(50);
}

describe('calls', () => {
  test('go as they come, no more than 64 at a time, until one is refused for its rate', async () => {
    const call = limited(1000);
    await running(Promise.all(Array.from({ length: 100 }, () => pacer.run(call, unending()))));
    expect(sent.filter((at) => at === 0)).toHaveLength(64);
    expect(sent.filter((at) => at === 100)).toHaveLength(36);
    expect(pauses).toEqual([]);
  });

  test('wait for the next minute with few tries before it, and all are made', async () => {
    const call = limited(80);
    await running(Promise.all(Array.from({ length: 150 }, () => pacer.run(call, unending()))));
    const granted = 150;
    // Those on their way at the first refusal, those that the last answers before it let go, and single tries.
    expect(sent.length - granted).toBeLessThan(64 + 16);
    expect(sent.filter((at) => at > 1000 && at < 50_000).length).toBeLessThan(8);
    const resumed = sent.find((at) => at >= 50_000) ?? 0;
    expect(resumed).toBe(50_000);
    expect(Math.max(...sent)).toBeLessThan(53_000);
  });

  test('that were on their way when the first was refused lead to one pause', async () => {
    const call = limited(10);
    void Promise.all(Array.from({ length: 30 }, () => pacer.run(call, unending())));
    await clock.advance(150);
    expect(pauses).toEqual([1000]);
  });

  test('that were refused go first', async () => {
    const order: string[] = [];
    let refusals = 1;
    const named = (name: string) => async (): Promise<void> => {
      if (refusals-- > 0) throw THROTTLE;
      order.push(name);
    };
    const first = pacer.run(named('first'), unending());
    await clock.advance(1);
    const second = pacer.run(named('second'), unending());
    await running(Promise.all([first, second]));
    expect(order).toEqual(['first', 'second']);
  });

  test('that wait go by priority, then by turns among scale sets', async () => {
    const order: string[] = [];
    let refusals = 1;
    const named = (name: string) => async (): Promise<void> => {
      if (refusals-- > 0) throw THROTTLE;
      order.push(name);
    };
    const run = (name: string, turn: Turn) => pacer.run(named(name), unending(), turn);
    const first = run('refused', { key: 'a' });
    await clock.advance(1);
    const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => run(name, { key: name.slice(0, 1) }));
    waiting.push(run('urgent', { key: 'a', priority: 3 }), run('idle', { key: 'd', priority: -1 }));
    await running(Promise.all([first, ...waiting]));
    expect(order).toEqual(['urgent', 'refused', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'idle']);
  });

  test('refused for anything else are refused', async () => {
    const error = new Error('no');
    await expect(pacer.run(() => Promise.reject(error), unending())).rejects.toBe(error);
    expect(pauses).toEqual([]);
  });

  test('that nobody waits for any more are not made', async () => {
    void pacer.run(() => Promise.reject(THROTTLE), unending()).catch(() => {});
    await clock.advance(1);
    const stop = new AbortController();
    let made = 0;
    const waiting = pacer.run(async () => void made++, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(pacer.run(async () => void made++, stop.signal)).rejects.toThrow('enough');
    await clock.advance(2000);
    expect(made).toBe(0);
  });

  test('pause longer each time, at most 15 seconds, and never beyond the minute', async () => {
    void pacer.run(() => Promise.reject(THROTTLE), unending()).catch(() => {});
    await clock.advance(50_000);
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 5000, 15_000]);
  });
});
