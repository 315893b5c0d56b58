import type { Clock } from '@rungar/model';
import { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../shared/fair-queue.js';
import { type CloneQueue, createCloneQueue } from './clone-queue.js';

class Locked extends Error {}

const forEver = (): AbortSignal => new AbortController().signal;

function queueOn(clock: Clock): CloneQueue {
  return createCloneQueue({ clock, random: seededRandom(1), isLocked: (error) => error instanceof Locked });
}

/** A storage on which one clone takes two seconds, and so many go at once. */
function storage(clock: Clock, most: number): { clone(): Promise<number>; refused: number; atOnce: number } {
  const seen = { refused: 0, atOnce: 0, running: 0, done: 0 };
  return {
    async clone() {
      if (seen.running >= most) {
        seen.refused += 1;
        throw new Locked();
      }
      seen.running += 1;
      seen.atOnce = Math.max(seen.atOnce, seen.running);
      await clock.sleep(2_000);
      seen.running -= 1;
      return ++seen.done;
    },
    get refused() {
      return seen.refused;
    },
    get atOnce() {
      return seen.atOnce;
    },
  };
}

async function runAll(
  clock: FakeClock,
  queue: CloneQueue,
  clone: () => Promise<number>,
  count: number,
): Promise<number> {
  const began = clock.now();
  let doneAt = 0;
  const all = Promise.all(Array.from({ length: count }, () => queue.run('ceph', clone, forEver()))).then(() => {
    doneAt = clock.now();
  });
  await clock.advance(10 * 60_000);
  await all;
  return doneAt - began;
}

describe('on a storage that works on one clone at a time', () => {
  test('one is refused, and the rest go one after the other without a pause', async () => {
    const clock = fakeClock();
    const disks = storage(clock, 1);
    expect(await runAll(clock, queueOn(clock), disks.clone, 40)).toBe(80_000);
    expect(disks.refused).toBe(1);
  });
});

describe('on a storage on which clones wait for one another', () => {
  test('few go at once, so that none waits for long', async () => {
    const clock = fakeClock();
    let last: Promise<void> = Promise.resolve();
    let waiting = 0;
    let most = 0;
    const clone = async (): Promise<number> => {
      most = Math.max(most, ++waiting);
      last = last.then(() => clock.sleep(2_000));
      await last;
      return waiting--;
    };
    expect(await runAll(clock, queueOn(clock), clone, 40)).toBe(80_000);
    expect(most).toBeLessThanOrEqual(3);
  });
});

describe('on a storage that never refuses', () => {
  test('more and more go at once, up to eight', async () => {
    const clock = fakeClock();
    const disks = storage(clock, 100);
    expect(await runAll(clock, queueOn(clock), disks.clone, 40)).toBeLessThanOrEqual(20_000);
    expect(disks.atOnce).toBe(8);
  });
});

test('a lock that somebody else has is tried again after a pause', async () => {
  const clock = fakeClock();
  let tries = 0;
  const clone = async (): Promise<string> => {
    tries += 1;
    if (tries < 3) throw new Locked();
    return 'made';
  };
  const made = queueOn(clock).run('ceph', clone, forEver());
  await clock.advance(999);
  expect(tries).toBe(1);
  await clock.advance(4_000);
  expect(tries).toBe(3);
  expect(await made).toBe('made');
});

test('one that was refused goes before those that came later', async () => {
  const clock = fakeClock();
  const queue = queueOn(clock);
  const order: string[] = [];
  let locked = true;
  const clone = (name: string) => async (): Promise<void> => {
    if (locked) {
      locked = false;
      throw new Locked();
    }
    order.push(name);
  };
  const all = Promise.all(['a', 'b', 'c'].map((name) => queue.run('ceph', clone(name), forEver())));
  await clock.advance(3_000);
  await all;
  expect(order).toEqual(['a', 'b', 'c']);
});

test('those that wait go by priority, then by turns among scale sets', async () => {
  const clock = fakeClock();
  const queue = queueOn(clock);
  const order: string[] = [];
  const run = (name: string, turn: Turn) =>
    queue.run(
      'ceph',
      async () => {
        order.push(name);
        await clock.sleep(1_000 * order.length); // each slower than the one before, so that they stay one at a time
      },
      forEver(),
      turn,
    );
  const names = ['a1', 'a2', 'a3', 'b1', 'b2'];
  const all = names.map((name) => run(name, { key: name.slice(0, 1) }));
  all.push(run('urgent', { key: 'a', priority: 2 }));
  await clock.advance(60_000);
  await Promise.all(all);
  expect(order).toEqual(['a1', 'urgent', 'a2', 'b1', 'a3', 'b2']);
});

test('storages do not wait for one another', async () => {
  const clock = fakeClock();
  const queue = queueOn(clock);
  void queue.run('slow', () => clock.sleep(60_000), forEver());
  let done = false;
  void queue.run(
    'fast',
    async () => {
      done = true;
    },
    forEver(),
  );
  await clock.advance(0);
  expect(done).toBe(true);
});

test('another failure is told to the caller, and the next one goes', async () => {
  const clock = fakeClock();
  const queue = queueOn(clock);
  const failed = queue.run('ceph', () => Promise.reject(new Error('no')), forEver());
  await expect(failed).rejects.toThrow('no');
  expect(await queue.run('ceph', async () => 'made', forEver())).toBe('made');
});

test.each(['waits for its turn', 'pauses'])('one that %s ends with its caller, and holds nobody up', async (what) => {
  const clock = fakeClock();
  const queue = queueOn(clock);
  const stop = new AbortController();
  const first = what === 'pauses' ? () => Promise.reject(new Locked()) : async () => {};
  if (what !== 'pauses') void queue.run('ceph', () => clock.sleep(1_000), forEver());
  const ended = queue.run('ceph', first, stop.signal).catch((error: unknown) => error);
  const next = queue.run('ceph', async () => 'made', forEver());
  await clock.advance(1);
  stop.abort(new Error('enough'));
  expect(await ended).toEqual(new Error('enough'));
  await clock.advance(1_000);
  expect(await next).toBe('made');
});
