import { type Clock, EVENT_ACTIONS, type EventSink, type Logger, type Redactor, type RungarEvent } from '@rungar/model';
import { openEventFile, readEventFile } from './events/event-file.js';
import { fromEventLine, toEventLine } from './events/event-line.js';
import { type EventQuery, matchesQuery } from './events/event-query.js';
import { createFollower, type Follower } from './events/follower.js';
import { createKeptEvents, type KeptEvents } from './events/kept-events.js';

/** How much is kept. */
export interface EventLimits {
  /** How many of the newest are kept; at least 1. */
  readonly maxCount: number;
  /** None older is kept. Looked at when an event is recorded, and at the start. */
  readonly maxAgeMs?: number;
}

export interface EventLogOptions extends EventLimits {
  readonly file: string;
  /** Told of every event that did not get into the file as it came. */
  readonly onDrop?: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
}

/** The events of this and of earlier runs: in memory in full, and in a file (docs/reference/events.md). */
export interface EventLog extends EventSink {
  /** What is kept, oldest first. @throws RungarError `invalid_argument` for a negative limit */
  read(query: EventQuery): readonly RungarEvent[];
  /** What is kept and what comes after, with no gap between the two and nothing twice. */
  follow(query: EventQuery): { readonly history: readonly RungarEvent[]; readonly follower: Follower };
  /** Keeps another number of events, or for another time, from now on. */
  adjust(limits: EventLimits): void;
  /** Why the file lacks events for now. */
  readonly trouble: string | undefined;
  /** Ends every follower, and writes what the file lacks. */
  close(): Promise<void>;
}

/**
 * Reads the file, if there is one, and goes on from there.
 * @throws RungarError `invalid_argument` when the path cannot be used; a full disk is no error
 */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { clock, redactor } = options;
  let { maxCount, maxAgeMs } = options;
  const kept = await readKept(options);
  const dropOld = (): void => {
    if (maxAgeMs !== undefined) kept.dropBefore(clock.wallNow() - maxAgeMs);
  };
  dropOld();
  const file = await openEventFile({
    path: options.file,
    lines: () => kept.snapshot().map((entry) => entry.line),
    maxLines: () => maxCount + Math.floor(maxCount / 4),
    clock,
    logger: options.logger,
    ...(options.onDrop && { onDrop: options.onDrop }),
  });
  const followers = new Map<Follower, EventQuery>();

  return {
    record(what) {
      const event = redactEvent({ ...what, kind: EVENT_ACTIONS[what.action], time: clock.wallNow() }, redactor);
      const line = toEventLine(event);
      kept.add({ event, line });
      dropOld();
      file.append(line);
      for (const [follower, query] of followers) if (matchesQuery(event, query)) follower.push(event);
    },
    read: (query) => kept.select(query),
    follow(query) {
      const follower = createFollower(() => followers.delete(follower));
      const before = kept.select(query);
      followers.set(follower, query);
      return { history: before, follower };
    },
    adjust(limits) {
      ({ maxCount, maxAgeMs } = limits);
      kept.limitTo(maxCount);
      dropOld();
    },
    get trouble() {
      return file.trouble;
    },
    async close() {
      for (const follower of followers.keys()) follower.end();
      await file.close();
    },
  };
}

async function readKept({ file, maxCount, logger }: EventLogOptions): Promise<KeptEvents> {
  const kept = createKeptEvents(maxCount);
  let unreadable = 0;
  for await (const line of readEventFile(file)) {
    const event = fromEventLine(line);
    if (event) kept.add({ event, line });
    else if (line !== '') unreadable++;
  }
  if (unreadable > 0)
    logger.warn('Lines of the event file that are no events were skipped', { file, lines: unreadable });
  return kept;
}

/** A copy of its own, without secrets. */
function redactEvent(event: RungarEvent, redactor: Redactor): RungarEvent {
  const { message, attributes } = event;
  return {
    ...event,
    ...(message !== undefined && { message: redactor.redact(message) }),
    ...(attributes && {
      attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, redactor.redact(value)])),
    }),
  };
}
