/** Lines for a terminal of 80 columns. */
export const WIDTH = 80;

/**
 * Breaks a line at blanks so that it fits; what follows is indented. A word that is longer than a line stays whole, so
 * that it can be copied.
 */
export function wrap(line: string, indent = 2, width = WIDTH): string {
  if (line.length <= width) return line;
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length <= width || current.trim() === '') {
      current = longer;
    } else {
      lines.push(current);
      current = `${' '.repeat(indent)}${word}`;
    }
  }
  return [...lines, current].join('\n');
}
