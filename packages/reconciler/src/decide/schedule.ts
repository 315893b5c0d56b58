import type { Schedule, ScheduleWindow, Weekday } from '@rungar/model';

/** A moment on the wall clock of a zone. */
export interface WallMoment {
  readonly weekday: Weekday;
  /** Minutes after midnight. */
  readonly minute: number;
}

/** Reads moments off one zone's wall clock. Making one is slow, so a scale set keeps its own. */
export type ZoneReader = (epochMs: number) => WallMoment;

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const DAY_MINUTES = 24 * 60;

/**
 * A reader for an IANA zone.
 * @throws RangeError for a zone this runtime does not know
 */
export function zoneReader(timeZone: string): ZoneReader {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (epochMs) => {
    const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
    return {
      weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? '') as Weekday,
      minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
    };
  };
}

/**
 * The first window, as written, that contains the moment. A window that ends at or before its beginning closes on
 * the next day, and belongs to the day on which it opens.
 */
export function windowInForce(schedule: Schedule, moment: WallMoment): ScheduleWindow | undefined {
  return schedule.windows.find((window) => contains(window, moment));
}

function contains({ days, from, to }: ScheduleWindow, { weekday, minute }: WallMoment): boolean {
  if (from < to) return days.has(weekday) && minute >= from && minute < to;
  const yesterday = ((weekday + 6) % 7) as Weekday;
  return (days.has(weekday) && minute >= from) || (days.has(yesterday) && minute < to);
}

/** A window for people: `mon-fri,sun 08:00-19:00`. */
export function describeWindow(window: ScheduleWindow): string {
  return `${describeDays(window.days)} ${describeTime(window.from)}-${describeTime(window.to)}`;
}

/** Days from Monday on, runs of them as ranges. */
export function describeDays(days: ReadonlySet<Weekday>): string {
  const runs: string[] = [];
  for (let day = 0; day < 7; day++) {
    if (!days.has(day as Weekday)) continue;
    const first = day;
    while (day < 6 && days.has((day + 1) as Weekday)) day++;
    runs.push(first === day ? nameOf(day) : `${nameOf(first)}-${nameOf(day)}`);
  }
  return runs.join(',');
}

/** Minutes after midnight as `HH:MM`; the end of the day is `24:00`. */
export function describeTime(minutes: number): string {
  const bounded = Math.min(minutes, DAY_MINUTES);
  return `${pad(Math.floor(bounded / 60))}:${pad(bounded % 60)}`;
}

const nameOf = (day: number): string => (WEEKDAYS[day] ?? '').toLowerCase();
const pad = (number: number): string => String(number).padStart(2, '0');
