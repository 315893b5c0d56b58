import type { RungarEvent } from '@rungar/model';
import { type EventQuery, limitOf, matchesQuery } from './event-query.js';

/** An event with its line, so that one read from the file goes back as it was written. */
export interface KeptEvent {
  readonly event: RungarEvent;
  readonly line: string;
}

/** The newest events, in the order in which they came. */
export interface KeptEvents {
  /** Adds one and lets go of the oldest if there are now too many. */
  add(entry: KeptEvent): void;
  /** Lets go of the oldest that happened before `time`, in epoch milliseconds. */
  dropBefore(time: number): void;
  /** Keeps another number at most from now on. */
  limitTo(maxCount: number): void;
  /** What matches, oldest first. @throws RungarError `invalid_argument` for a negative limit */
  select(query: EventQuery): RungarEvent[];
  /** Everything kept now, oldest first. */
  snapshot(): readonly KeptEvent[];
}

/**
 * An empty collection of events.
 * @param mostAtFirst how many are kept at most; at least 1
 */
export function createKeptEvents(mostAtFirst: number): KeptEvents {
  let maxCount = mostAtFirst;
  // A ring: the oldest is at `start`, and the one after the last slot is the first.
  let slots: (KeptEvent | undefined)[] = [];
  let start = 0;
  let count = 0;

  const slotOf = (position: number): number => {
    const slot = start + position;
    return slot < maxCount ? slot : slot - maxCount;
  };

  const snapshot = (): KeptEvent[] => {
    const rest = Math.max(0, start + count - maxCount);
    return [...slots.slice(start, start + count), ...slots.slice(0, rest)].filter((entry) => entry !== undefined);
  };

  return {
    add(entry) {
      slots[slotOf(count)] = entry;
      if (count < maxCount) count++;
      else start = slotOf(1);
    },
    dropBefore(time) {
      for (let first = slots[start]; first && first.event.time < time; first = slots[start]) {
        slots[start] = undefined;
        start = slotOf(1);
        count--;
      }
    },
    limitTo(most) {
      slots = snapshot().slice(-most);
      maxCount = most;
      start = 0;
      count = slots.length;
    },
    select(query) {
      const limit = limitOf(query);
      const newestFirst: RungarEvent[] = [];
      for (let position = count - 1; position >= 0 && newestFirst.length < limit; position--) {
        const entry = slots[slotOf(position)];
        if (entry && matchesQuery(entry.event, query)) newestFirst.push(entry.event);
      }
      return newestFirst.reverse();
    },
    snapshot,
  };
}
