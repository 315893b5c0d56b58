import { displayWidth } from './table.js';

/**
 * Breaks a line at spaces so that it fits; what follows the first line is indented further.
 * @param width the columns of the terminal; without it nothing is broken
 */
export function wrapLine(text: string, indent: number, width = Number.POSITIVE_INFINITY): string[] {
  const room = Math.max(20, width - indent - HANGING);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one, at) => `${' '.repeat(at === 0 ? indent : indent + HANGING)}${one}`);
}

const HANGING = 2;
