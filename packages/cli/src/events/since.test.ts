import { beforeAll, expect, test, vi } from 'vitest';
import { parseSince } from './since.js';

beforeAll(() => {
  vi.stubEnv('TZ', 'America/New_York');
});

/** Wednesday, 2027-02-03, 06:12:40 in New York. */
const NOW = Date.UTC(2027, 1, 3, 11, 12, 40);

test.each([
  ['90m', '2027-02-03T09:42:40.000Z'],
  ['1h30m', '2027-02-03T09:42:40.000Z'],
  ['0s', '2027-02-03T11:12:40.000Z'],
  ['2027-02-01', '2027-02-01T05:00:00.000Z'],
  ['2027-02-01 10:30', '2027-02-01T15:30:00.000Z'],
  ['2027-02-01T10:30:15', '2027-02-01T15:30:15.000Z'],
  ['2026-07-01 10:30', '2026-07-01T14:30:00.000Z'],
  ['2027-02-01T10:30:15Z', '2027-02-01T10:30:15.000Z'],
  ['2027-02-01T10:30:15.25+02:00', '2027-02-01T08:30:15.250Z'],
  ['05:30', '2027-02-03T10:30:00.000Z'],
  ['5:30:15', '2027-02-03T10:30:15.000Z'],
])('%s is %s', (text, instant) => {
  const at = parseSince(text, NOW);
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(instant);
});

test.each([
  ['', '-5m', 'yesterday', '2027-02-30', '2027-13-01', '2027-02-01 24:00', '10:60', '10', '2027-02-01T10:30:15+2'],
])('what is no instant is none: %s', (...texts) => {
  for (const text of texts) expect([text, parseSince(text, NOW)]).toEqual([text, undefined]);
});
