import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '@rungar/model';
import type { Output } from '../command.js';
import type { Style } from '../output/style.js';

/** What a person watches. */
export interface View {
  /** Something has happened. */
  note(text: string): void;
  /** A new part begins. */
  heading(text: string): void;
  /** Stops watching and leaves the last picture. */
  close(): Promise<void>;
}

/** `  3.2s` since `start`. */
function elapsed(clock: Clock, start: number): string {
  return `${((clock.now() - start) / 1000).toFixed(1)}s`.padStart(6);
}

/** One line for each thing that happens: for pipes and logs. */
export function plainView(output: Output, style: Style, clock: Clock): View {
  const start = clock.now();
  return {
    note: (text) => void output.write(`${style.dim(elapsed(clock, start))}  ${text}\n`),
    heading: (text) => void output.write(`${style.dim(elapsed(clock, start))}  ${style.bold(text)}\n`),
    async close() {},
  };
}

/** The most notes that stand under the picture. */
const NOTES_SHOWN = 8;
const REDRAW_MS = 100;

/**
 * A picture that is drawn again in place, with the last notes under it: for terminals.
 * @param picture what to draw now, line by line
 */
export async function liveView(
  output: NodeJS.WriteStream,
  style: Style,
  clock: Clock,
  picture: () => readonly string[],
): Promise<View> {
  const { createLogUpdate } = await import('log-update');
  const draw = createLogUpdate(output);
  const start = clock.now();
  const notes: string[] = [];
  let headline = '';
  const end = new AbortController();

  const frame = (): string => {
    const width = (output.columns ?? 80) - 1;
    const lines = [
      `${style.bold(elapsed(clock, start).trim())}  ${headline}`,
      '',
      ...picture(),
      '',
      ...notes.slice(-NOTES_SHOWN),
    ];
    return lines.map((line) => clip(line, width)).join('\n');
  };
  const drawing = (async () => {
    while (!end.signal.aborted) {
      draw(frame());
      await clock.sleep(REDRAW_MS, end.signal).catch(() => {});
    }
  })();
  return {
    note: (text) => void notes.push(`${style.dim(elapsed(clock, start))}  ${text}`),
    heading(text) {
      headline = style.cyan(text);
      notes.push(`${style.dim(elapsed(clock, start))}  ${style.bold(text)}`);
    },
    async close() {
      end.abort();
      await drawing;
      draw(frame());
      draw.done();
    },
  };
}

/** Cuts a line that is too wide; colours are left on whole, at the price of a cut some columns early. */
function clip(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}
