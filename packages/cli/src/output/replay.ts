import type { Style } from './style.js';
import { localTime, plural } from './words.js';

/** What `rungar replay --json` prints. */
export interface ReplayDocument {
  /** How many recorded decisions were made again. */
  readonly decisions: number;
  readonly passes: number;
  readonly scalings: number;
  /** Decisions the recorder could not keep up with. */
  readonly left_out: number;
  /** Lines that hold no whole decision, and were skipped. */
  readonly damaged: readonly { readonly line: number; readonly why: string }[];
  readonly differences: readonly DecisionDifference[];
}

/** A decision that this version makes otherwise. */
export interface DecisionDifference {
  /** Of the file, from 1. */
  readonly line: number;
  readonly kind: 'pass' | 'scaling';
  readonly scale_set: string;
  readonly time: string;
  readonly differences: readonly {
    /** `items[2].reason`, `target`. */
    readonly path: string;
    /** As JSON text; absent where there was nothing. */
    readonly recorded?: string;
    /** As JSON text; absent where there is nothing. */
    readonly now?: string;
  }[];
}

/** How many differences of one decision, and how many decisions, are shown to people. */
const SHOWN = 10;

export function replayLines(path: string, report: ReplayDocument, style: Style): readonly string[] {
  const { decisions, passes, scalings, differences, damaged, left_out: leftOut } = report;
  const made = `${plural(decisions, 'decision')} (${plural(passes, 'pass', 'passes')}, ${scalings} of scaling)`;
  const verdict =
    differences.length === 0
      ? style.green('all decided as recorded')
      : style.yellow(`${differences.length} decided otherwise`);
  return [
    ...differences.slice(0, SHOWN).flatMap((one) => differenceLines(one, style)),
    ...(differences.length > SHOWN ? [`and ${differences.length - SHOWN} more: --json has all`] : []),
    ...damaged.slice(0, SHOWN).map(({ line, why }) => `${path}:${line}: skipped, ${why}`),
    ...(damaged.length > SHOWN ? [`and ${damaged.length - SHOWN} more lines that were skipped`] : []),
    ...(leftOut > 0 ? [`${plural(leftOut, 'decision')} left out when recording, as the disk was too slow`] : []),
    `${made}: ${verdict}`,
  ];
}

function differenceLines({ line, kind, scale_set: scaleSet, time, differences }: DecisionDifference, style: Style) {
  const what = kind === 'pass' ? 'pass' : 'scaling';
  return [
    `line ${line}: ${what} of ${style.cyan(scaleSet)} at ${localTime(Date.parse(time))}`,
    ...differences
      .slice(0, SHOWN)
      .map(({ path, recorded = 'nothing', now = 'nothing' }) => `  ${path}: ${short(recorded)} -> ${short(now)}`),
    ...(differences.length > SHOWN ? [`  and ${differences.length - SHOWN} more`] : []),
  ];
}

/** A value may be a whole item of a plan. */
function short(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}

const LONGEST = 60;
