/** Characters in a line of a terminal. */
export const WIDTH = 80;

/**
 * Breaks a text at blanks into lines that fit. A word that is longer than a line stays whole, so that it can be copied.
 * @param indent how far the lines after the first one are moved in
 */
export function wrap(text: string, width = WIDTH, indent = 0): readonly string[] {
  const [first = '', ...words] = text.split(/\s/);
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    const longer = `${line} ${word}`;
    if (longer.length <= width || line.trim() === '') line = longer;
    else {
      lines.push(line.trimEnd());
      line = `${' '.repeat(indent)}${word}`;
    }
  }
  return [...lines, line];
}

/** The same as one text, with what follows the first line moved in. */
export function wrapLine(text: string, indent = 2, width = WIDTH): string {
  return wrap(text, width, indent).join('\n');
}
