import { parseDuration } from '@rungar/model';
import type { Argv } from 'yargs';
import type { Wish } from '../fleet/change-state.js';
import { usageError } from '../usage.js';

/** The flags of a pause or a disabling: why, until when, and whether it outlives the daemon. */
export function keepFlags(yargs: Argv): Argv {
  return yargs
    .option('keep', { type: 'boolean', default: false, describe: 'stay so when the daemon restarts' })
    .option('reason', { type: 'string', requiresArg: true, describe: 'why, for whoever looks at the status' })
    .option('until', {
      type: 'string',
      requiresArg: true,
      describe: 'end by itself then: 2h, 18:30, 2027-02-03 18:30, RFC 3339',
    });
}

/**
 * What the flags of {@link keepFlags} ask for.
 * @param now epoch milliseconds
 * @throws ExitError 64 for an end that cannot be read
 */
export function wishOf(args: Readonly<Record<string, unknown>>, now: number): Wish {
  const { keep, reason, until } = args;
  const end = until === undefined ? undefined : untilOf(String(until), now);
  return {
    keep: keep === true,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(end !== undefined && { until: new Date(end).toISOString() }),
  };
}

function untilOf(text: string, now: number): number {
  const duration = parseDuration(text);
  if (duration !== undefined && duration > 0n) return now + Number(duration) / 1e6;
  const end = /^\d{1,2}:\d\d$/.test(text) ? nextTime(text, now) : readInstant(text);
  if (end === undefined) {
    throw usageError(`--until takes 2h, 18:30, 2027-02-03 18:30 or RFC 3339, not "${text}"`);
  }
  if (end <= now) throw usageError(`--until ${text} has passed already`);
  return end;
}

/** The next time that a clock on the wall shows this. */
function nextTime(text: string, now: number): number | undefined {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  const day = new Date(now);
  day.setHours(hours, minutes, 0, 0);
  if (day.getTime() <= now) day.setDate(day.getDate() + 1);
  return day.getTime();
}

/** A day with a time of it is local, unless it says otherwise. */
function readInstant(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/.test(text)) return undefined;
  const instant = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(instant) ? undefined : instant;
}
