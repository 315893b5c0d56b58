import { expect, test } from 'vitest';
import { aSeenMachine } from '../../test/facts.js';
import { joined } from './listed-fleet.js';

test('listings are joined by name, and machines of one name stand together wherever they are', () => {
  const [first, second, third] = [aSeenMachine({ name: 'vm-a' }), aSeenMachine({ name: 'vm-b' }), aSeenMachine()];
  const elsewhere = aSeenMachine({ name: 'vm-a', provider: 'b' });
  const again = aSeenMachine({ name: 'vm-a', provider: 'b' });
  expect([...joined([first, second, third])]).toEqual([
    ['vm-a', first],
    ['vm-b', second],
    ['vm-00000001', third],
  ]);
  const doubled = joined([first, second, elsewhere, again]);
  expect([...doubled.keys()]).toEqual(['vm-a', 'vm-b']);
  expect(doubled.get('vm-a')).toEqual({ ...first, twins: [elsewhere, again] });
  expect(doubled.get('vm-b')).toBe(second);
  expect(joined([])).toEqual(new Map());
});
