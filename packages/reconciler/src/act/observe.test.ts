import { expect, test } from 'vitest';
import { labelsOf, MINUTE, on, policy, SECOND, world } from '../../test/world.js';

test('every pass by the clock lists each provider once, for all scale sets', async () => {
  const names = ['vm', 'other'];
  const w = world({
    scaleSets: names.map((name) => policy({ name, providers: on('a', 'b') })),
    providers: [{ name: 'a' }, { name: 'b' }],
  });
  w.start();
  await w.clock.advance(20 * SECOND);
  const before = [w.provider('a').count('list'), w.provider('b').count('list')];
  await w.clock.advance(2 * MINUTE);
  expect([w.provider('a').count('list'), w.provider('b').count('list')]).toEqual(before.map((count) => count + 4));
  await w.stop();
});

test('an adopted runner is known and deleted by the labels its machine carries, further ones included', async () => {
  const w = world({ bootMs: undefined });
  const name = 'vm-0000000a';
  w.github.register(name, 'vm', { online: true });
  w.provider().put(name, { ...labelsOf(name, { revision: 'bbbbbbbbbbbb' }), team: 'ci' });
  w.start();
  await w.clock.advance(10 * MINUTE);
  expect(w.happened('adopted', 'removed')).toEqual([`adopted ${name}`, `removed ${name} scaled_down`]);
  expect(w.machines()).toEqual([]);
  await w.stop();
});
