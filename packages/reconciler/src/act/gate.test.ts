import { expect, test } from 'vitest';
import { Gate } from './gate.js';

/** A gate for one at a time, and the order in which it lets others in. */
function single(): { enter: (key: string, priority?: number) => void; next: () => Promise<void>; order: string[] } {
  const gate = new Gate(1);
  const order: string[] = [];
  let leave: (() => void) | undefined;
  return {
    order,
    enter(key, priority = 0) {
      void gate.enter({ key, priority }).then((left) => {
        order.push(key);
        leave = left;
      });
    },
    async next() {
      await Promise.resolve();
      leave?.();
      await Promise.resolve();
    },
  };
}

test('keys of one priority are let in in turn, and a higher priority before them', async () => {
  const { enter, next, order } = single();
  for (const key of ['a', 'a', 'a', 'b', 'b']) enter(key);
  enter('c', 1);
  for (let turn = 0; turn < 6; turn++) await next();
  expect(order).toEqual(['a', 'c', 'a', 'b', 'a', 'b']);
});

test('a key that comes late takes its turn, and does not make up for what it never asked for', async () => {
  const { enter, next, order } = single();
  for (let count = 0; count < 12; count++) enter('early');
  for (let turn = 0; turn < 8; turn++) await next();
  for (let count = 0; count < 3; count++) enter('late');
  for (let turn = 0; turn < 7; turn++) await next();
  expect(order.slice(-6)).toEqual(['early', 'late', 'early', 'late', 'early', 'late']);
});

test('one that gives up waiting leaves its place to the next', async () => {
  const gate = new Gate(1);
  const leave = await gate.enter({ key: 'a', priority: 0 });
  const given = new AbortController();
  const gone = gate.enter({ key: 'b', priority: 0 }, given.signal);
  const next = gate.enter({ key: 'c', priority: 0 });
  given.abort(new Error('not wanted any more'));
  await expect(gone).rejects.toThrow('not wanted any more');
  leave();
  (await next)();
  expect(gate.inside).toBe(0);
});
