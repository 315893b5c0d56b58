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

test('memory is promised on a node until the machine is made, less what it uses already', () => {
  const promises = keepMemoryPromises();
  const first = promises.make('a', 8);
  promises.make('a', 4);
  promises.make('b', 2);
  expect([promises.on('a', []), promises.on('b', []), promises.on('c', [])]).toEqual([12, 2, 0]);
  first.forVm(105);
  expect(promises.on('a', [vm(105, 'a', 3), vm(106, 'a', 8)])).toBe(9);
  expect(promises.on('a', [vm(105, 'a', 99)])).toBe(4);
  expect(promises.on('a', [vm(105, 'b', 3)])).toBe(12);
  first.end();
  expect(promises.on('a', [])).toBe(4);
});
