import { beforeEach, expect, test } from 'vitest';
import { createFairQueue, type FairQueue, type Ticket, type Turn } from './fair-queue.js';

interface Named extends Ticket {
  readonly name: string;
}

let queue: FairQueue<Named>;
let came: number;

beforeEach(() => {
  queue = createFairQueue();
  came = 0;
});

function add(name: string, turn: Turn = {}, again = false): Named {
  const ticket = { name, turn, again, order: came++ };
  queue.add(ticket);
  return ticket;
}

function all(): string[] {
  const names: string[] = [];
  for (let next = queue.next(); next; next = queue.next()) names.push(next.name);
  return names;
}

test('those of one key go as they came', () => {
  for (const name of ['a', 'b', 'c']) add(name, { key: 'linux' });
  expect(all()).toEqual(['a', 'b', 'c']);
  expect(queue.size).toBe(0);
});

test('keys take turns, however many of another came first', () => {
  for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, { key: 'a' });
  for (const name of ['b1', 'b2']) add(name, { key: 'b' });
  expect(queue.next()?.name).toBe('a1');
  expect(queue.next()?.name).toBe('b1');
  add('c1', { key: 'c' });
  expect(all()).toEqual(['a2', 'b2', 'c1', 'a3', 'a4']);
});

test('who comes late has no arrears: nobody waits until it has caught up', () => {
  for (let at = 0; at < 10; at++) add(`a${at}`, { key: 'a' });
  for (let at = 0; at < 5; at++) queue.next();
  for (let at = 0; at < 3; at++) add(`b${at}`, { key: 'b' });
  expect(all().slice(0, 4)).toEqual(['a5', 'b0', 'a6', 'b1']);
});

test('a higher priority goes first, and its turns are its own', () => {
  add('low1', { key: 'a' });
  add('low2', { key: 'b' });
  add('high1', { key: 'a', priority: 5 });
  add('high2', { key: 'a', priority: 5 });
  add('lowest', { priority: -1 });
  expect(all()).toEqual(['high1', 'high2', 'low1', 'low2', 'lowest']);
});

test('one that had its turn in vain goes before the others of its priority, and uses up no turn of its key', () => {
  add('a1', { key: 'a' });
  add('b1', { key: 'b' });
  const first = queue.next();
  queue.add({ ...(first as Named), again: true });
  add('a2', { key: 'a' });
  add('high', { priority: 1 });
  expect(all()).toEqual(['high', 'a1', 'b1', 'a2']);
});

test('one that waits no more has no turn', () => {
  const gone = add('a1', { key: 'a' });
  add('a2', { key: 'a' });
  queue.remove(gone);
  queue.remove(gone);
  expect(queue.size).toBe(1);
  expect(all()).toEqual(['a2']);
  expect(queue.next()).toBeUndefined();
});
