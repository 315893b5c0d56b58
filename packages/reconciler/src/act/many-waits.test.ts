import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE, policy, SECOND, world } from '../../test/world.js';

const warnings: string[] = [];
const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', onWarning);
});
afterEach(() => void process.off('warning', onWarning));

test('Node takes neither many scale sets nor many runners that go at once for a leak', async () => {
  const names = Array.from({ length: 15 }, (_, at) => `set-${at}`);
  const w = world({
    scaleSets: names.map((name, at) => policy({ name, ...(at === 0 && { maxRunners: 60 }) })),
    bootMs: 10 * SECOND,
  });
  for (let job = 0; job < 60; job++) w.github.queueJob('set-0', 10 * MINUTE);
  w.start();
  await w.clock.advance(5 * SECOND);
  expect(w.machines()).toHaveLength(60);
  w.github.cancelWaiting('set-0');
  await w.clock.advance(2 * MINUTE);
  expect(w.machines()).toEqual([]);
  await w.stop();
  expect(warnings).toEqual([]);
});
