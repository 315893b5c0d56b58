import type { EventAnswer } from '../control/answers.js';
import type { Style } from './style.js';
import { displayWidth } from './table.js';
import { enumWords, localTime } from './words.js';

const GOOD = new Set(['Created', 'Adopted', 'Connected', 'Resumed', 'Recovered', 'Delete recovered']);
const WORTH_A_LOOK = new Set(['Lost', 'Full', 'Failing', 'Paused', 'Failed', 'Delete failing', 'Split']);

/** Makes a printer of one line per event, whose columns grow as wider values come. */
export function eventPrinter(style: Style): (event: EventAnswer) => string {
  const widths = [9, 0, 0];
  return (event) => {
    const action = enumWords(event.action, 'EVENT_ACTION_');
    const cells = [enumWords(event.kind, 'EVENT_KIND_'), event.name ?? '', action];
    const shown = cells.map((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
      return cell.padEnd(widths[at] ?? 0);
    });
    shown[2] = paintFor(action, style)(shown[2] ?? '');
    const time = event.time ? localTime(Date.parse(event.time)) : '-';
    return [time, ...shown, event.message ?? ''].join('   ').trimEnd();
  };
}

function paintFor(action: string, style: Style): (text: string) => string {
  if (GOOD.has(action)) return style.green;
  return WORTH_A_LOOK.has(action) ? style.yellow : (text) => text;
}
