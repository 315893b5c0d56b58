import { parseDuration } from '@rungar/model';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAY_AND_TIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d))?$/;
const TIME = /^(\d\d?):(\d\d)(?::(\d\d))?$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * An instant as a person writes it: how long before now (`90m`, `1h30m`), a date, a date and a time, a time of today,
 * or RFC 3339. Without a zone it is this host's.
 * @param now epoch milliseconds
 * @returns epoch milliseconds; nothing when it is none of these, or no day or time there is
 */
export function parseSince(text: string, now: number): number | undefined {
  const before = parseDuration(text);
  if (before !== undefined) return before < 0n ? undefined : now - Number(before) / 1e6;
  if (RFC_3339.test(text)) return instant(Date.parse(text.toUpperCase().replace(' ', 'T')));
  const day = DAY.exec(text) ?? DAY_AND_TIME.exec(text);
  if (day) return localInstant(day.slice(1).map(Number));
  const time = TIME.exec(text);
  if (!time) return undefined;
  const today = new Date(now);
  return localInstant([
    ...[today.getFullYear(), today.getMonth() + 1, today.getDate()],
    ...time.slice(1).map((part) => Number(part ?? 0)),
  ]);
}

/** A day and a time where the program runs. A field that overflows would give another day. */
function localInstant([year = 0, month = 0, day = 0, ...time]: readonly number[]): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = time.map((part) => part || 0);
  const at = new Date(year, month - 1, day, hours, minutes, seconds);
  const same = at.getMonth() === month - 1 && at.getDate() === day;
  return same && hours < 24 && minutes < 60 && seconds < 60 ? instant(at.getTime()) : undefined;
}

function instant(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}
