import { expect, test } from 'vitest';
import { type Fault, FaultScript } from './faults.js';
import { seededRandom } from './random.js';

const fault: Fault = { operation: 'list', kind: 'status', status: 503 };

function script(...faults: Fault[]): FaultScript {
  const made = new FaultScript(seededRandom(1));
  for (const each of faults) made.add(each);
  return made;
}

test('a fault strikes its operation once and is spent', () => {
  const faults = script(fault);
  expect(faults.strike('other')).toBeUndefined();
  expect(faults.strike('list')).toEqual(fault);
  expect(faults.strike('list')).toBeUndefined();
});

test('a fault lets calls through first, and strikes as often as it says', () => {
  const faults = script({ ...fault, skip: 2, times: 2 });
  const struck = Array.from({ length: 6 }, () => faults.strike('list') !== undefined);
  expect(struck).toEqual([false, false, true, true, false, false]);
});

test('a rated fault strikes its share of the calls and stays', () => {
  const faults = script({ ...fault, rate: 0.25 });
  const struck = Array.from({ length: 2000 }, () => faults.strike('list')).filter(Boolean).length;
  expect(struck).toBeGreaterThan(400);
  expect(struck).toBeLessThan(600);
});

test('a fault of any operation spares the calls of the emulator itself', () => {
  const faults = script({ ...fault, operation: '*' });
  expect(faults.strike('control', true)).toBeUndefined();
  expect(faults.strike('anything')).toBeDefined();
});

test('a special fault strikes only where it is asked for', () => {
  const faults = script({ operation: 'list', kind: 'special', special: 'odd' });
  expect(faults.strike('list')).toBeUndefined();
  expect(faults.strikeSpecial('list', 'even')).toBe(false);
  expect(faults.strikeSpecial('list', 'odd')).toBe(true);
  expect(faults.strikeSpecial('list', 'odd')).toBe(false);
});

test('faults are taken back by operation, or all at once', () => {
  const faults = script(fault, { ...fault, operation: 'get' }, { ...fault, operation: 'put' });
  faults.clear('list');
  expect(faults.strike('list')).toBeUndefined();
  faults.clear();
  expect(faults.strike('get')).toBeUndefined();
  expect(faults.strike('put')).toBeUndefined();
});
