import type { ExplainAnswer } from '../control/answers.js';
import type { Style } from './style.js';
import { localTime, plural } from './words.js';
import { wrapLine } from './wrap.js';

/** What `rungar explain --json` prints. Zero values stay. */
export interface StoryDocument {
  /** `runner`, `scale_set`, `job` or `provider`. */
  readonly kind: string;
  readonly name: string;
  /** How it stands now, in sentences, the most important first. */
  readonly now: readonly string[];
  /** In the order of time. */
  readonly entries: readonly {
    /** RFC 3339: GitHub's own clock for what GitHub tells, else the daemon's host's. */
    readonly time: string;
    /** `github`, `provider` or `rungar`. */
    readonly by: string;
    /** The runner, scale set or provider it is about. */
    readonly about: string;
    readonly text: string;
    /** What the sentence rests on. */
    readonly facts: Readonly<Record<string, string>>;
  }[];
  /** Earlier entries that are left out. */
  readonly left_out: number;
}

export function storyDocument({
  kind = '',
  name = '',
  now = [],
  entries = [],
  left_out,
}: ExplainAnswer): StoryDocument {
  return {
    kind,
    name,
    now,
    entries: entries.map((one) => ({
      time: one.time ?? '',
      by: one.by ?? '',
      about: one.about ?? '',
      text: one.text ?? '',
      facts: one.facts ?? {},
    })),
    left_out: left_out ?? 0,
  };
}

export interface StoryView {
  readonly style: Style;
  /** The terminal's columns; unset breaks no line. */
  readonly width?: number;
}

/** The story for people: how it stands, then what happened. */
export function storyLines(story: StoryDocument, { style, width }: StoryView): readonly string[] {
  const title = `${style.bold(style.cyan(story.name))} ${style.dim(`(${story.kind.replace('_', ' ')})`)}`;
  const told = story.entries.flatMap((entry, at) => {
    const day = localTime(Date.parse(entry.time));
    const before = story.entries[at - 1];
    const sameDay = before && localTime(Date.parse(before.time)).slice(0, 10) === day.slice(0, 10);
    const heading = sameDay ? [] : [style.dim(day.slice(0, 10))];
    // What tells its time already need not tell it twice: the name is said where it is another than the subject's.
    const about = entry.about === story.name || entry.text.includes(entry.about) ? '' : `${entry.about}: `;
    const line = `${style.dim(day.slice(11))}  ${TELLERS[entry.by] ?? entry.by} ${about}${entry.text}`;
    return [...heading, ...wrapLine(line, 0, width)];
  });
  const left =
    story.left_out > 0 ? [style.dim(`${plural(story.left_out, 'earlier entry', 'earlier entries')} left out`)] : [];
  return [
    title,
    ...story.now.flatMap((sentence) => wrapLine(sentence, 2, width)),
    ...(story.entries.length > 0 ? ['', ...left, ...told] : []),
  ];
}

const TELLERS: Readonly<Record<string, string>> = { github: 'GitHub  ', provider: 'Provider', rungar: 'Rungar  ' };
