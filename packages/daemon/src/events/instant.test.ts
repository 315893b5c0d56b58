import { expect, test } from 'vitest';
import { fromRfc3339, toRfc3339 } from './instant.js';

const NOON = Date.UTC(2027, 1, 3, 12, 0, 0);

test.each([
  [NOON, '2027-02-03T12:00:00.000Z'],
  [NOON + 120, '2027-02-03T12:00:00.120Z'],
  [NOON + 518.22, '2027-02-03T12:00:00.518220Z'],
  [NOON + 999.9999, '2027-02-03T12:00:01.000Z'],
  [-0.5, '1969-12-31T23:59:59.999500Z'],
])('writes %d as %s', (ms, want) => expect(toRfc3339(ms)).toBe(want));

test.each([
  ['2027-02-03T12:00:00Z', NOON],
  ['2027-02-03T14:00:00.5+02:00', NOON + 500],
  ['2027-02-03T06:30:00-05:30', NOON],
  ['2027-02-03T12:00:00.51822Z', NOON + 518.22],
  ['2027-02-03T12:00:00.000000001Z', NOON],
])('reads %s', (text, want) => expect(fromRfc3339(text)).toBeCloseTo(want, 3));

test.each(['', 'yesterday', '2027-02-03', '2027-02-03T12:00:00', '2027-13-03T12:00:00Z', '2027-02-03 12:00:00Z'])(
  'does not take %j for an instant',
  (text) => expect(fromRfc3339(text)).toBeUndefined(),
);
