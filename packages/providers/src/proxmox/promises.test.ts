import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { keepMemoryPromises } from './promises.js';
import type { ListedVm } from './resources.js';

const vm = (vmid: number, node: string, memoryUsed: number): ListedVm => ({
  vmid,
  node,
  name: 'x',
  status: 'running',
  isTemplate: false,
  tags: '',
  lock: '',
  cores: 1,
  memory: 8,
  memoryUsed,
});

test('memory is promised on a node, less what the machine uses already', () => {
  const promises = keepMemoryPromises(fakeClock());
  const first = promises.make('a', 8);
  promises.make('a', 4);
  promises.make('b', 2);
  expect([promises.on('a', []), promises.on('b', []), promises.on('c', [])]).toEqual([12, 2, 0]);
  first.forVm(105);
  expect(promises.on('a', [vm(105, 'a', 3), vm(106, 'a', 8)])).toBe(9);
  expect(promises.on('a', [vm(105, 'a', 99)])).toBe(4);
  expect(promises.on('a', [vm(105, 'b', 3)])).toBe(12);
});

test('a promise that is dropped ends at once, and one that is kept when the node has told of it', async () => {
  const clock = fakeClock();
  const promises = keepMemoryPromises(clock);
  promises.make('a', 8).dropped();
  expect(promises.on('a', [])).toBe(0);
  const kept = promises.make('a', 4);
  kept.kept();
  kept.dropped();
  await clock.advance(14_999);
  expect(promises.on('a', [])).toBe(4);
  await clock.advance(1);
  expect(promises.on('a', [])).toBe(0);
});
