import type { Schedule, ScheduleWindow, Weekday } from '@rungar/model';
import { bare, list, map, text, type YamlNode } from './yaml-node.js';

const NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAYS: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];

/** A schedule as the configuration has it. */
export function printedSchedule({ timeZone, windows }: Schedule): YamlNode {
  return map({ timezone: text(timeZone), windows: list(windows.map(printedWindow)) });
}

function printedWindow({ days, from, to, minRunners }: ScheduleWindow): YamlNode {
  return map({
    days: { kind: 'list', items: dayRuns(days).map(text), onOneLine: true },
    from: text(timeOfDay(from)),
    to: text(timeOfDay(to)),
    min_runners: bare(minRunners),
  });
}

/** Days in as few runs as they have from Monday on: `mon-fri` and `sun`. */
function dayRuns(days: ReadonlySet<Weekday>): string[] {
  const runs: { first: Weekday; last: Weekday }[] = [];
  for (const day of DAYS) {
    const run = runs.at(-1);
    if (!days.has(day)) continue;
    if (run !== undefined && run.last === day - 1) run.last = day;
    else runs.push({ first: day, last: day });
  }
  return runs.map(({ first, last }) => (first === last ? NAMES[first] : `${NAMES[first]}-${NAMES[last]}`));
}

function timeOfDay(minutes: number): string {
  const twoDigits = (value: number): string => `${value}`.padStart(2, '0');
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
