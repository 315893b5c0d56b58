import { beforeAll, expect, test, vi } from 'vitest';
import { eventPrinter } from './events.js';
import { styleFor } from './style.js';

const plain = styleFor({ write: () => true }, {});
const coloured = styleFor({ write: () => true, isTTY: true }, {});

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

test('an event is a line, whose columns grow as wider values come', () => {
  const print = eventPrinter(plain);
  const lines = [
    {
      time: '2027-02-03T11:04:09.120Z',
      kind: 'EVENT_KIND_RUNNER',
      name: 'birch-s-0a1b2c3d',
      action: 'EVENT_ACTION_CREATED',
      message: 'On rack-a: 2 vCPU, 4 GiB',
    },
    {
      time: '2027-02-03T11:05:30Z',
      kind: 'EVENT_KIND_PROVIDER',
      name: 'rack-b',
      action: 'EVENT_ACTION_FULL',
      message: 'No memory left; next try in 15s',
    },
    { time: '2027-02-03T11:09:00Z', kind: 'EVENT_KIND_SCALE_SET', name: 'birch-s', action: 'EVENT_ACTION_JOB_STARTED' },
    { time: '2027-02-03T11:10:00Z', kind: 'EVENT_KIND_SCALE_SET', name: 'birch-s', action: 'EVENT_ACTION_PAUSED' },
  ].map(print);
  expect(lines).toEqual([
    '2027-02-03 11:04:09   Runner      birch-s-0a1b2c3d   Created   On rack-a: 2 vCPU, 4 GiB',
    '2027-02-03 11:05:30   Provider    rack-b             Full      No memory left; next try in 15s',
    '2027-02-03 11:09:00   Scale set   birch-s            Job started',
    '2027-02-03 11:10:00   Scale set   birch-s            Paused',
  ]);
});

test('what is unknown is a hyphen', () => {
  expect(eventPrinter(plain)({})).toBe('-   -              -');
});

test.each([
  ['EVENT_ACTION_CONNECTED', '\u001b[32mConnected\u001b[39m'],
  ['EVENT_ACTION_LOST', '\u001b[33mLost\u001b[39m'],
  ['EVENT_ACTION_REMOVED', 'Removed'],
])('%s has its colour on a terminal', (action, shown) => {
  expect(eventPrinter(coloured)({ action }).endsWith(`   ${shown}`)).toBe(true);
});
