import { errorCodeOf } from '@rungar/model';
import type { EventAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT, ExitError } from '../exit.js';

/** Which events are followed. */
export interface Following {
  /** Members of the request that narrow: scale set, provider, runner. */
  readonly filters: Readonly<Record<string, string>>;
  /** How much of the history comes first; 0 is all. */
  readonly limit: number;
  /** From when on; RFC 3339. */
  readonly since?: string;
}

/** The last event that was given, and how often one just like it was. */
interface Place {
  readonly key: string;
  readonly time: number;
  readonly count: number;
}

/** How long a daemon that has gone is left alone between two looks. */
const PAUSE_MS = 1_000;

/** Asked for again after a break: as much as a clock may have been set back meanwhile. */
const OVERLAP_MS = 600_000;

/**
 * The history and what comes after, for as long as `signal` lets it. When the daemon goes and comes back, it goes on
 * behind the last event that was given: no event is left out, and none comes twice.
 * @param onGone called once for each time that the daemon has gone
 * @throws what the first question failed with; afterwards only what asking again cannot cure; the signal's reason
 */
export async function* followEvents(
  { filters, limit, since }: Following,
  { events, world: { clock } }: Session,
  signal: AbortSignal,
  onGone: () => void,
): AsyncGenerator<EventAnswer> {
  let place: Place | undefined;
  for (let isFirst = true, gone = false; ; ) {
    try {
      const from = place === undefined ? since : new Date(place.time - OVERLAP_MS).toISOString();
      const body = {
        ...{ follow: true, limit: isFirst ? limit : 0, ...filters },
        ...(from !== undefined && { since: from }),
      };
      let history: EventAnswer[] | undefined = isFirst ? undefined : [];
      for await (const { events: some = [], caught_up: caughtUp = false } of events(body, signal)) {
        [isFirst, gone] = [false, false];
        history?.push(...some);
        if (history !== undefined && !caughtUp) continue;
        for (const event of history === undefined ? some : behind(place, history)) {
          place = placeOf(event, place);
          yield event;
        }
        history = undefined;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isFirst || !comesBack(error)) throw error;
    }
    if (!gone) onGone();
    gone = true;
    await clock.sleep(PAUSE_MS, signal);
  }
}

/** A daemon that has gone, or that gave up on us for being slow. */
function comesBack(error: unknown): boolean {
  if (error instanceof ExitError) return error.exitCode === EXIT.noDaemon;
  return errorCodeOf(error) === 'unavailable';
}

/** What of a history comes behind the place; where that event is gone, what is later. */
function behind(place: Place | undefined, history: readonly EventAnswer[]): readonly EventAnswer[] {
  if (place === undefined) return history;
  let before = 0;
  for (const [at, event] of history.entries()) {
    if (keyOf(event) !== place.key) continue;
    before += 1;
    if (before === place.count) return history.slice(at + 1);
  }
  return history.filter((event) => timeOf(event) > place.time);
}

function placeOf(event: EventAnswer, last: Place | undefined): Place {
  const key = keyOf(event);
  return { key, time: timeOf(event), count: key === last?.key ? last.count + 1 : 1 };
}

/** Texts that the daemon reads back from its file as it wrote them. */
function keyOf({ time, kind, name, action, message }: EventAnswer): string {
  return JSON.stringify([time, kind, name, action, message]);
}

function timeOf({ time = '' }: EventAnswer): number {
  return Date.parse(time);
}
