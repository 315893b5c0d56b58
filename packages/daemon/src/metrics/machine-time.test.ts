import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { createMachineTime } from './machine-time.js';

test('machines are counted by the hour, by scale set and by provider', async () => {
  const clock = fakeClock();
  const told: [string, string, number][] = [];
  const time = createMachineTime(clock, (...one) => void told.push(one));
  const linux = {
    name: 'linux',
    countsByProvider: { rack: { starting: 1, idle: 1, busy: 2 }, cloud: { starting: 0, idle: 0, busy: 1 } },
  };
  await clock.advance(30 * 60_000);
  time.note([linux, { name: 'gpu', countsByProvider: { cloud: { starting: 0, idle: 2, busy: 0 } } }, { name: 'arm' }]);
  expect(told).toEqual([
    ['linux', 'rack', 2],
    ['linux', 'cloud', 0.5],
    ['gpu', 'cloud', 1],
  ]);
  await clock.advance(60 * 60_000);
  time.note([linux]);
  expect([time.ofScaleSet('linux'), time.ofScaleSet('gpu'), time.ofScaleSet('arm')]).toEqual([7.5, 1, 0]);
  expect([time.ofProvider('rack'), time.ofProvider('cloud')]).toEqual([6, 2.5]);
});
