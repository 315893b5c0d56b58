import { expect, test } from 'vitest';
import { aSeenMachine } from '../../test/facts.js';
import { labelsOf, MINUTE, on, policy, SECOND, world } from '../../test/world.js';
import { joined } from './observe.js';

test('listings are joined by name, and machines of one name stand together wherever they are', () => {
  const [first, second, third] = [aSeenMachine({ name: 'vm-a' }), aSeenMachine({ name: 'vm-b' }), aSeenMachine()];
  const elsewhere = aSeenMachine({ name: 'vm-a', provider: 'b' });
  const again = aSeenMachine({ name: 'vm-a', provider: 'b' });
  expect([...joined([[first, second], [third]])]).toEqual([
    ['vm-a', first],
    ['vm-b', second],
    ['vm-00000001', third],
  ]);
  const doubled = joined([
    [first, second],
    [elsewhere, again],
  ]);
  expect([...doubled.keys()]).toEqual(['vm-a', 'vm-b']);
  expect(doubled.get('vm-a')).toEqual({ ...first, twins: [elsewhere, again] });
  expect(doubled.get('vm-b')).toBe(second);
  expect(joined([])).toEqual(new Map());
});

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
