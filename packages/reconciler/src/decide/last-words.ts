import { stripVTControlCharacters } from 'node:util';

const MOST_LINES = 20;
const MOST_CHARACTERS = 4_096;

/** Characters that show nothing; tabs stay. */
const CONTROL = /(?!\t)\p{Cc}/gu;
/** What looks like a registration or a key, or a line of one that was broken at the console's width. */
const LONG_WORD = /[A-Za-z0-9+/_=-]{60,}/g;

/**
 * The end of a console, fit to be shown: at most 20 lines and 4,096 characters, without control characters and without
 * long words of the alphabet that registrations and keys are written in.
 * @param lines oldest first
 * @returns nothing when there is nothing to show
 */
export function lastWords(lines: readonly string[]): string | undefined {
  const shown: string[] = [];
  let room = MOST_CHARACTERS;
  for (const line of lines.toReversed()) {
    const text = stripVTControlCharacters(line).replace(CONTROL, '').replace(LONG_WORD, '…').trimEnd();
    if (text === '') continue;
    if (shown.length === MOST_LINES || text.length + 1 > room) {
      if (shown.length === 0) shown.push(endOf(text));
      break;
    }
    shown.push(text);
    room -= text.length + 1;
  }
  return shown.length === 0 ? undefined : shown.reverse().join('\n');
}

/** The end of a line that is too long, from the beginning of a word on. */
function endOf(line: string): string {
  const end = line.slice(1 - MOST_CHARACTERS);
  const space = end.indexOf(' ');
  return `…${space === -1 ? '' : end.slice(space)}`;
}
