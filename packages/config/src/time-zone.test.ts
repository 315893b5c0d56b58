import { expect, test } from 'vitest';
import { checkTimeZone } from './time-zone.js';

test.each([
  'UTC',
  'Europe/Vilnius',
  'Europe/Kyiv',
  'Europe/Kiev',
  'US/Eastern',
  'America/Argentina/Buenos_Aires',
  'Asia/Kolkata',
  'Asia/Calcutta',
  'Etc/UTC',
])('%s is a time zone', (name) => expect(checkTimeZone(name)).toBeUndefined());

test.each([
  '',
  'Local',
  'local',
  'utc',
  'Z',
  'CET',
  'EST',
  'GMT',
  'Japan',
  '+03:00',
  'UTC+3',
  'europe/vilnius',
  'Europe/vilnius',
  'Mars/Olympus',
  'Europe/',
  '/Vilnius',
  'constructor/name',
  'x'.repeat(10_000),
])('%j is none', (name) => expect(checkTimeZone(name)).toContain('must be an IANA time zone'));

test('the nearest name is offered', () => {
  expect(checkTimeZone('europe/vilnius')).toContain('did you mean Europe/Vilnius?');
  expect(checkTimeZone('Europe/Vilnus')).toContain('did you mean Europe/Vilnius?');
  expect(checkTimeZone('utc')).toContain('did you mean UTC?');
});
