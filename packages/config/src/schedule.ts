import {
  itemPath,
  type LocatedMap,
  memberPath,
  type ProblemSink,
  placeOf,
  readMapping,
  type Schedule,
  type ScheduleWindow,
  type Weekday,
} from '@rungar/model';
import { SCHEDULE_FIELDS, WINDOW_FIELDS } from './fields.js';
import { addError, within } from './problem-list.js';

/**
 * Reads a scale set's `schedule`.
 * @param maxRunners what no window's minimum may exceed, where it is known
 * @returns nothing when it has no windows, or problems
 */
export function readSchedule(
  map: LocatedMap,
  path: string,
  maxRunners: number | undefined,
  problems: ProblemSink,
): Schedule | undefined {
  const { values, wrong, all } = readMapping(map, SCHEDULE_FIELDS, path, problems);
  if (values.windows === undefined) {
    if (!wrong.has('windows') && values.timezone !== undefined) {
      const message = 'is missing: a timezone alone says nothing';
      addError(problems, { place: placeOf(map, 'timezone'), path: memberPath(path, 'windows'), message });
    }
    return undefined;
  }
  const windows: ScheduleWindow[] = [];
  for (const [index, node] of values.windows.entries()) {
    const at = itemPath(memberPath(path, 'windows'), index);
    const named = within(problems, `in window ${index + 1} of the schedule`);
    if (node.kind !== 'map') addError(named, { place: node.place, path: at, message: 'must be a mapping' });
    else windows.push(...readWindow(node, at, maxRunners, named));
  }
  if (all === undefined || windows.length < values.windows.length) return undefined;
  return { timeZone: values.timezone ?? 'UTC', windows };
}

/** @returns the window, or none when it has problems */
function readWindow(
  map: LocatedMap,
  path: string,
  maxRunners: number | undefined,
  problems: ProblemSink,
): readonly ScheduleWindow[] {
  const { values, wrong, all } = readMapping(map, WINDOW_FIELDS, path, problems);
  const hours = readHours(map, path, values, wrong, problems);
  const minimum = values.min_runners;
  if (minimum !== undefined && maxRunners !== undefined && minimum > maxRunners) {
    const at = { place: placeOf(map, 'min_runners'), path: memberPath(path, 'min_runners') };
    addError(problems, { ...at, value: `${minimum}`, message: `${minimum} is more than max_runners ${maxRunners}` });
    return [];
  }
  if (all === undefined || hours === undefined) return [];
  return [{ days: new Set<Weekday>(all.days.flat()), ...hours, minRunners: all.min_runners }];
}

/** A window with one end has midnight for the other, which is seldom meant; with none it has no length. */
function readHours(
  map: LocatedMap,
  path: string,
  values: { readonly from?: number | undefined; readonly to?: number | undefined },
  wrong: ReadonlySet<string>,
  problems: ProblemSink,
): { from: number; to: number } | undefined {
  if (wrong.has('from') || wrong.has('to')) return undefined;
  const { from = 0, to = 0 } = values;
  if (values.from === undefined && values.to === undefined) {
    addError(problems, { place: map.place, path, message: 'is missing its from and to, and so has no length' });
    return undefined;
  }
  if (from === to) {
    const at = { place: placeOf(map, 'to'), path: memberPath(path, 'to') };
    addError(problems, {
      ...at,
      message: 'must differ from from: the window has no length',
      hint: 'for a whole day write "00:00" to "24:00"',
    });
    return undefined;
  }
  for (const key of ['from', 'to'] as const) {
    if (values[key] !== undefined) continue;
    const message = 'is not set, and taken as 00:00';
    problems.add({ severity: 'warning', place: map.place, path: memberPath(path, key), message, hint: `set ${key}` });
  }
  return { from, to };
}
