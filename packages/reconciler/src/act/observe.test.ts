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

test('a provider that answers once more, while another is waited for, is not given up for its older silence', async () => {
  const w = world({
    scaleSets: ['vm', 'other'].map((name) => policy({ name, providers: on('a', 'b') })),
    providers: [{ name: 'a' }, { name: 'b' }],
  });
  const name = 'vm-00000001';
  w.github.register(name, 'vm', { online: true, busy: true });
  w.provider('b').put(name, labelsOf(name));
  w.start();
  await w.clock.advance(15 * SECOND);
  w.provider('b').down = true;
  await w.clock.advance(5 * MINUTE - 10 * SECOND);
  // This pass asks both: the one is still silent, the other takes its time, and meanwhile somebody asks again.
  w.provider('a').listMs = 20 * SECOND;
  await w.clock.advance(30 * SECOND);
  w.provider('b').down = false;
  void w.reconciler.reconcile('other', new AbortController().signal);
  await w.clock.advance(40 * SECOND);
  expect(w.happened('lost')).toEqual([]);
  await w.stop();
});
