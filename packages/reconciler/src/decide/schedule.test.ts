import type { Schedule, Weekday } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { describeWindow, windowInForce, zoneReader } from './schedule.js';

const days = (...of: number[]): ReadonlySet<Weekday> => new Set(of as Weekday[]);
const WORKDAYS = days(0, 1, 2, 3, 4);
const at = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
};
const inForce = (schedule: Schedule, iso: string): number | undefined =>
  windowInForce(schedule, zoneReader(schedule.timeZone)(Date.parse(iso)))?.minRunners;

describe('a window on working days', () => {
  const schedule: Schedule = {
    timeZone: 'UTC',
    windows: [{ days: WORKDAYS, from: at('08:00'), to: at('19:00'), minRunners: 3 }],
  };
  test.each([
    // 4 January 2027 is a Monday.
    { iso: '2027-01-04T07:59:59Z', want: undefined },
    { iso: '2027-01-04T08:00:00Z', want: 3 },
    { iso: '2027-01-04T18:59:59Z', want: 3 },
    { iso: '2027-01-04T19:00:00Z', want: undefined },
    { iso: '2027-01-09T12:00:00Z', want: undefined },
  ])('at $iso asks for $want', ({ iso, want }) => expect(inForce(schedule, iso)).toBe(want));
});

describe('a window over midnight belongs to the day it opens on', () => {
  const schedule: Schedule = {
    timeZone: 'UTC',
    windows: [{ days: days(4), from: at('22:00'), to: at('06:00'), minRunners: 2 }],
  };
  test.each([
    { iso: '2027-01-08T21:59:00Z', want: undefined },
    { iso: '2027-01-08T22:00:00Z', want: 2 },
    { iso: '2027-01-09T05:59:00Z', want: 2 },
    { iso: '2027-01-09T06:00:00Z', want: undefined },
    { iso: '2027-01-08T05:00:00Z', want: undefined },
  ])('at $iso asks for $want', ({ iso, want }) => expect(inForce(schedule, iso)).toBe(want));
});

test('there is no gap between 24:00 and the 00:00 after it, and the first window wins', () => {
  const schedule: Schedule = {
    timeZone: 'UTC',
    windows: [
      { days: days(0), from: at('20:00'), to: at('24:00'), minRunners: 1 },
      { days: days(1), from: at('00:00'), to: at('04:00'), minRunners: 2 },
      { days: days(0, 1, 2, 3, 4, 5, 6), from: at('00:00'), to: at('24:00'), minRunners: 3 },
    ],
  };
  expect(inForce(schedule, '2027-01-04T23:59:59Z')).toBe(1);
  expect(inForce(schedule, '2027-01-05T00:00:00Z')).toBe(2);
  expect(inForce(schedule, '2027-01-05T04:00:00Z')).toBe(3);
});

describe('across daylight saving in Berlin', () => {
  const nightly = (from: string, to: string): Schedule => ({
    timeZone: 'Europe/Berlin',
    windows: [{ days: days(6), from: at(from), to: at(to), minRunners: 5 }],
  });
  test('a window in the hour that is skipped does not open', () => {
    // On 28 March 2027 two o'clock becomes three at 01:00 UTC.
    expect(inForce(nightly('02:00', '03:00'), '2027-03-28T00:59:00Z')).toBeUndefined();
    expect(inForce(nightly('02:00', '03:00'), '2027-03-28T01:00:00Z')).toBeUndefined();
  });
  test('the hour that comes twice is in the window both times', () => {
    // On 31 October 2027 three o'clock becomes two at 01:00 UTC.
    expect(inForce(nightly('02:00', '03:00'), '2027-10-31T00:30:00Z')).toBe(5);
    expect(inForce(nightly('02:00', '03:00'), '2027-10-31T01:30:00Z')).toBe(5);
    expect(inForce(nightly('02:00', '03:00'), '2027-10-31T02:00:00Z')).toBeUndefined();
  });
});

test.each([
  { window: { days: days(0, 1, 2, 3, 4, 6), from: at('08:00'), to: at('19:00') }, want: 'mon-fri,sun 08:00-19:00' },
  { window: { days: days(2), from: 0, to: 1440 }, want: 'wed 00:00-24:00' },
  { window: { days: days(0, 2, 5, 6), from: at('22:30'), to: at('06:05') }, want: 'mon,wed,sat-sun 22:30-06:05' },
])('a window reads $want', ({ window, want }) => expect(describeWindow({ ...window, minRunners: 1 })).toBe(want));
