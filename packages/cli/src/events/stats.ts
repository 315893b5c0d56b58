import { parseDuration } from '@rungar/model';
import type { EventAnswer } from '../control/answers.js';

/** What `rungar events --stats --json` prints. Zero values stay. */
export interface EventStatsDocument {
  /** The first and the last event that was looked at; null where there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** By scale set, then provider. */
  readonly measures: readonly EventMeasure[];
}

export interface EventMeasure {
  readonly scale_set: string;
  readonly provider: string;
  /**
   * `create`: until the provider had made the machine; `boot`: from then until it was connected; `wait`: of a job,
   * from queued to started; `runner_wait`: of a job, from assigned to the scale set to started.
   */
  readonly measure: 'create' | 'boot' | 'wait' | 'runner_wait';
  readonly count: number;
  /** The shortest time that so many percent did not exceed. */
  readonly p50_seconds: number;
  readonly p95_seconds: number;
  readonly max_seconds: number;
}

/** Which attribute of which event tells each measure. */
const MEASURES = [
  ['create', 'EVENT_ACTION_CREATED', 'create_duration'],
  ['boot', 'EVENT_ACTION_CONNECTED', 'boot_duration'],
  ['wait', 'EVENT_ACTION_JOB_STARTED', 'wait'],
  ['runner_wait', 'EVENT_ACTION_JOB_STARTED', 'runner_wait'],
] as const;

/** How long things took, as far as events tell. @param events in their order */
export function eventStats(events: readonly EventAnswer[]): EventStatsDocument {
  const groups = new Map<
    string,
    { readonly of: EventAnswer; readonly times: Map<EventMeasure['measure'], number[]> }
  >();
  for (const event of events) {
    for (const [measure, action, attribute] of MEASURES) {
      const seconds = event.action === action ? secondsOf(event.attributes?.[attribute]) : undefined;
      if (seconds === undefined) continue;
      const key = JSON.stringify([event.scale_set ?? '', event.provider ?? '']);
      const group = groups.get(key) ?? { of: event, times: new Map() };
      groups.set(key, group);
      const sample = group.times.get(measure);
      if (sample) sample.push(seconds);
      else group.times.set(measure, [seconds]);
    }
  }
  const measures = [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { of, times }]) =>
      MEASURES.flatMap(([measure]) => {
        const sample = times.get(measure);
        return sample === undefined ? [] : [measureOf(of, measure, sample)];
      }),
    );
  return { from: events[0]?.time ?? null, to: events.at(-1)?.time ?? null, measures };
}

function measureOf(
  { scale_set: scaleSet = '', provider = '' }: EventAnswer,
  measure: EventMeasure['measure'],
  sample: readonly number[],
): EventMeasure {
  const ascending = [...sample].sort((a, b) => a - b);
  return {
    ...{ scale_set: scaleSet, provider, measure, count: ascending.length },
    p50_seconds: percentile(ascending, 50),
    p95_seconds: percentile(ascending, 95),
    max_seconds: ascending.at(-1) ?? 0,
  };
}

/** By the nearest rank: always one of the sample. */
function percentile(ascending: readonly number[], percent: number): number {
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)] ?? 0;
}

function secondsOf(duration: string | undefined): number | undefined {
  const nanoseconds = duration === undefined ? undefined : parseDuration(duration);
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9;
}
