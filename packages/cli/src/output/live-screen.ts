import type { Output } from '../command.js';
import { clip } from './clip.js';

/** A text that is drawn again in place. */
export interface LiveScreen {
  draw(text: string): void;
  /** Leaves what was drawn last. */
  done(): void;
}

/** Draws on a terminal, never past its lines and columns: what has scrolled away cannot be drawn again. */
export async function liveScreen(output: Output): Promise<LiveScreen> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(output as NodeJS.WriteStream);
  let drawn = '';
  return {
    draw(text) {
      const rows = (output.rows ?? 24) - 1;
      const columns = (output.columns ?? 80) - 1;
      const lines = text.trimEnd().split('\n');
      const shown = lines.length > rows ? [...lines.slice(0, rows - 1), '…'] : lines;
      const frame = shown.map((line) => clip(line, columns)).join('\n');
      if (frame !== drawn) update(frame);
      drawn = frame;
    },
    done: () => update.done(),
  };
}
