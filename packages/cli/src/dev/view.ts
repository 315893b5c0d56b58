import type { Clock } from '@rungar/model';
import type { Output } from '../command.js';
import { clip } from '../output/clip.js';
import type { Style } from '../output/style.js';

/** What a person watches. */
export interface View {
  /** Something has happened: who says so, of what, and what it was. */
  note(who: string, what: string, text: string): void;
  /** A new part begins. */
  heading(text: string): void;
  /** Stops watching and leaves the last picture. */
  close(): Promise<void>;
}

/** The widest of the names that take part in notes: a runner's, and a speaker's. */
const WHAT_WIDTH = 'linux-small-00000000'.length;
const WHO_WIDTH = 'GitHub'.length;

/** `  3.2s` since `start`. */
function elapsed(clock: Clock, start: number): string {
  return `${((clock.now() - start) / 1000).toFixed(1)}s`.padStart(6);
}

/** Lays out notes, each with the time since the view was made. */
function noteLines(style: Style, clock: Clock) {
  const start = clock.now();
  const time = (): string => elapsed(clock, start);
  return {
    time,
    note: (who: string, what: string, text: string): string =>
      `${style.dim(`${time()}  ${who.padEnd(WHO_WIDTH)}`)}  ${what.padEnd(WHAT_WIDTH)}  ${text}`,
    heading: (text: string): string => `${style.dim(time())}  ${style.bold(text)}`,
  };
}

/** One line for each thing that happens, a blank one before each part: for pipes and logs. */
export function plainView(output: Output, style: Style, clock: Clock): View {
  const lines = noteLines(style, clock);
  let isFirst = true;
  return {
    note: (who, what, text) => void output.write(`${lines.note(who, what, text)}\n`),
    heading(text) {
      output.write(`${isFirst ? '' : '\n'}${lines.heading(text)}\n`);
      isFirst = false;
    },
    async close() {},
  };
}

/** The most notes that stand under the picture. */
const NOTES_SHOWN = 8;
const REDRAW_MS = 100;

/**
 * A picture that is drawn again in place, with the last notes under it: for terminals. It never grows past the
 * terminal, as what has scrolled away cannot be drawn again, and never shrinks, as the notes would jump.
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
  const lines = noteLines(style, clock);
  const notes: string[] = [];
  const start = clock.now();
  let headline = '';
  let height = 0;
  const end = new AbortController();

  const frame = (isLast = false): string => {
    // The last line is the cursor's.
    const room = (output.rows ?? 24) - 1;
    const shown = picture();
    height = Math.max(height, shown.length);
    const padding = Array.from({ length: isLast ? 0 : height - shown.length }, () => '');
    // Whole seconds: most frames are then like the one before, and are not drawn.
    const seconds = `${Math.floor((clock.now() - start) / 1000)}s`.padStart(3);
    const above = [`${style.bold(seconds)}  ${headline}`, '', ...shown, ...padding, ''].slice(0, room);
    const count = Math.min(NOTES_SHOWN, room - above.length);
    const width = (output.columns ?? 80) - 1;
    return [...above, ...(count > 0 ? notes.slice(-count) : [])].map((line) => clip(line, width)).join('\n');
  };
  const drawing = (async () => {
    let drawn = '';
    while (!end.signal.aborted) {
      const next = frame();
      if (next !== drawn) draw(next);
      drawn = next;
      await clock.sleep(REDRAW_MS, end.signal).catch(() => {});
    }
  })();
  return {
    note: (who, what, text) => void notes.push(lines.note(who, what, text)),
    heading(text) {
      headline = style.cyan(text);
      notes.push(lines.heading(text));
    },
    async close() {
      end.abort();
      await drawing;
      draw(frame(true));
      draw.done();
    },
  };
}
