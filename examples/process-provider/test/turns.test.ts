import { beforeEach, expect, test, vi } from 'vitest';
import { turns } from '../src/turns.js';

/** Work that says when it begins and goes on until it is told to end. */
function work(name: string) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end,
    async run() {
      begun.push(name);
      await ended;
    },
  };
}

const { signal } = new AbortController();
let begun: string[];
beforeEach(() => {
  begun = [];
});

test('of those that wait, the highest priority is next, and of one priority the first that came', async () => {
  const pace = turns(1);
  const first = work('first');
  const others = [work('a'), work('b')];
  const urgent = work('urgent');
  const all = [first, ...others].map((one) => pace.run(0, signal, one.run));
  all.push(pace.run(1, signal, urgent.run));
  for (const one of [first, urgent, ...others]) one.end();
  await Promise.all(all);
  expect(begun).toEqual(['first', 'urgent', 'a', 'b']);
});

test('as many as allowed work at a time, and a failure gives its turn back', async () => {
  const pace = turns(2);
  const fail = async (): Promise<void> => {
    throw new Error('it fails');
  };
  const failing = pace.run(0, signal, fail);
  const both = [work('a'), work('b')];
  const rest = both.map((one) => pace.run(0, signal, one.run));
  await expect(failing).rejects.toThrow('it fails');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b']), { interval: 1, timeout: 5_000 });
  for (const one of both) one.end();
  await Promise.all(rest);
});

test('who gives up leaves the queue', async () => {
  const pace = turns(1);
  const kept = [work('first'), work('last')];
  const running = kept.map((one) => pace.run(0, signal, one.run));
  const stop = new AbortController();
  const left = pace.run(1, stop.signal, work('impatient').run);
  const reason = new Error('the caller has had enough');
  stop.abort(reason);
  await expect(left).rejects.toBe(reason);
  for (const one of kept) one.end();
  await Promise.all(running);
  expect(begun).toEqual(['first', 'last']);
});
