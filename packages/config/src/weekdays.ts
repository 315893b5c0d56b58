import type { Weekday } from '@rungar/model';

const NAMES: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAYS: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];

const DAY = `\\s*(?:${NAMES.map((name) => name.replace(/./g, (letter) => `[${letter.toUpperCase()}${letter}]`)).join('|')})\\s*`;

/** The form of what {@link parseDays} reads. */
export const DAYS_PATTERN: RegExp = new RegExp(`^${DAY}(?:-${DAY})?$`);

/**
 * Reads `mon`, or `fri-mon`, which goes on past Sunday.
 * @returns the days in order; nothing when the text is neither
 */
export function parseDays(source: string): readonly Weekday[] | undefined {
  const days = source.split('-').map(dayOf);
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined || days.length > 2) return undefined;
  const length = ((last - first + 7) % 7) + 1;
  return DAYS.slice(0, length).map((offset) => DAYS[(first + offset) % 7] ?? first);
}

function dayOf(word: string): Weekday | undefined {
  return DAYS[NAMES.indexOf(word.trim().toLowerCase())];
}
