import { parseDuration, RungarError } from '@rungar/model';
import type { EventAnswer } from '../control/answers.js';
import { enumWords } from '../output/words.js';

/** What `rungar events --timeline --json` prints. Zero values stay. */
export interface TimelineDocument {
  readonly runner: string;
  readonly scale_set: string;
  readonly provider: string;
  /** In the order of time. */
  readonly steps: readonly TimelineStep[];
}

export interface TimelineStep {
  /** RFC 3339. */
  readonly time: string;
  /** Whose clock told it. */
  readonly by: 'rungar' | 'github';
  /** `Queued`, `Assigned`, `Creating`, `Job finished`, or what an event is called. */
  readonly what: string;
  readonly message: string;
  /** Since the step before, and since the first. */
  readonly after_seconds: number;
  readonly total_seconds: number;
}

/** A step before it is known what it follows. */
type Moment = Pick<TimelineStep, 'by' | 'what' | 'message'> & { readonly at: number };

/**
 * One runner's life, with what GitHub tells of its job.
 * @param events of that runner
 * @throws RungarError `not_found` when there is none
 */
export function timelineOf(runner: string, events: readonly EventAnswer[]): TimelineDocument {
  const moments = events.flatMap(momentsOf).sort((a, b) => a.at - b.at);
  const [first] = moments;
  if (first === undefined) throw new RungarError('not_found', `no event of a runner "${runner}" is kept`);
  return {
    runner,
    scale_set: known(events.map((event) => event.scale_set)),
    provider: known(events.map((event) => event.provider)),
    steps: moments.map(({ at, ...moment }, index) => ({
      time: new Date(at).toISOString(),
      ...moment,
      after_seconds: (at - (moments[index - 1] ?? first).at) / 1000,
      total_seconds: (at - first.at) / 1000,
    })),
  };
}

function momentsOf({ time = '', action, message = '', attributes = {} }: EventAnswer): Moment[] {
  const at = Date.parse(time);
  const event: Moment = { at, by: 'rungar', what: enumWords(action, 'EVENT_ACTION_'), message };
  const github = (what: string, told: string | undefined): Moment[] =>
    told === undefined || Number.isNaN(Date.parse(told))
      ? []
      : [{ at: Date.parse(told), by: 'github', what, message: attributes.job_name ?? '' }];
  const creating = parseDuration(attributes.create_duration ?? '');
  return [
    ...github('Queued', attributes.queued),
    ...github('Assigned', attributes.assigned),
    ...(creating === undefined ? [] : [{ ...event, at: at - Number(creating) / 1e6, what: 'Creating', message: '' }]),
    ...github('Job finished', attributes.finished),
    event,
  ];
}

function known(values: readonly (string | undefined)[]): string {
  return values.find((value) => value !== undefined && value !== '') ?? '';
}
