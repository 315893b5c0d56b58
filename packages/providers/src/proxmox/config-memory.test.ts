import { fakeClock, seededRandom } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { rememberConfigs } from './config-memory.js';
import type { ListedVm } from './resources.js';

const VM: ListedVm = {
  vmid: 105,
  node: 'a',
  name: 'x',
  status: 'running',
  isTemplate: false,
  tags: 'rungar-1',
  lock: '',
  cores: 1,
  memory: 1,
  memoryUsed: 0,
};
const CONFIG = { name: 'x', lock: '', labels: {}, createdAt: undefined };

test('a configuration is believed while the VM looks the same, wherever it is', () => {
  const memory = rememberConfigs(fakeClock(), seededRandom(1));
  memory.put(VM, CONFIG);
  expect(memory.get({ ...VM, status: 'stopped', node: 'b', memoryUsed: 5 })).toBe(CONFIG);
  for (const change of [{ name: 'y' }, { tags: 'rungar-2' }, { tags: '' }, { lock: 'backup' }, { vmid: 106 }]) {
    expect(memory.get({ ...VM, ...change }), JSON.stringify(change)).toBeUndefined();
  }
});

test('it is read again within ten minutes, and not all of them at once', async () => {
  const clock = fakeClock();
  const memory = rememberConfigs(clock, seededRandom(1));
  const vms = Array.from({ length: 100 }, (_, at) => ({ ...VM, vmid: 100 + at }));
  for (const vm of vms) memory.put(vm, CONFIG);
  const known = (): number => vms.filter((vm) => memory.get(vm)).length;
  await clock.advance(5 * 60_000 - 1);
  expect(known()).toBe(100);
  await clock.advance(2.5 * 60_000);
  expect(known()).toBeGreaterThan(30);
  expect(known()).toBeLessThan(70);
  await clock.advance(2.5 * 60_000 + 1);
  expect(known()).toBe(0);
});

test('it is forgotten with the VM', () => {
  const memory = rememberConfigs(fakeClock(), seededRandom(1));
  memory.put(VM, CONFIG);
  memory.keepOnly(new Set([106]));
  expect(memory.get(VM)).toBeUndefined();
  memory.put(VM, CONFIG);
  memory.forget(105);
  expect(memory.get(VM)).toBeUndefined();
});
