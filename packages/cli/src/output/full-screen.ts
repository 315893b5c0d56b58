import type { Output } from '../command.js';
import { clip } from './clip.js';

/** A terminal that one command has to itself. */
export interface FullScreen {
  /** Draws from the top, as many lines as there are; the last one of the screen is for `footer`. */
  draw(lines: readonly string[], footer: string): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

const OPEN = '\u001b[?1049h\u001b[?25l';
const CLOSE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

export function fullScreen(output: Output): FullScreen {
  output.write(OPEN);
  let drawn = '';
  return {
    draw(lines, footer) {
      const { rows = 24, columns = 80 } = output;
      const room = Math.max(1, rows - 2);
      const left = lines.length - room;
      const shown = left > 0 ? [...lines.slice(0, room - 1), `… ${left + 1} more lines`] : lines;
      const frame = [...shown, ...Array.from({ length: room - shown.length }, () => ''), '', footer]
        .slice(0, rows)
        .map((line) => `${clip(line, columns - 1)}${REST_OF_LINE}`)
        .join('\r\n');
      const size = `${rows}x${columns}`;
      if (`${size}${frame}` !== drawn) output.write(`${HOME}${frame}${REST_OF_SCREEN}`);
      drawn = `${size}${frame}`;
    },
    close: () => void output.write(CLOSE),
  };
}
