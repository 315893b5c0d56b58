import type { RungarEvent } from '@rungar/model';

/** An event with its line, so that one read from the file goes back as it was written. */
export interface KeptEvent {
  readonly event: RungarEvent;
  readonly line: string;
}

/** The newest events, in the order in which they came. */
export interface KeptEvents {
  /** Adds one and lets go of those that are now too many. */
  add(entry: KeptEvent): void;
  /** Lets go of the oldest that happened before `time`, in epoch milliseconds. */
  dropBefore(time: number): void;
  /** Keeps another number at most from now on. */
  limitTo(maxCount: number): void;
  /** What is kept now, oldest first. */
  snapshot(): readonly KeptEvent[];
}

/** @param mostAtFirst how many are kept at most; at least 1 */
export function createKeptEvents(mostAtFirst: number): KeptEvents {
  let maxCount = mostAtFirst;
  let entries: KeptEvent[] = [];
  // Where what is kept begins: cutting the array at every event would move it all each time.
  let start = 0;

  const cut = (): void => {
    if (start <= maxCount) return;
    entries = entries.slice(start);
    start = 0;
  };

  return {
    add(entry) {
      entries.push(entry);
      if (entries.length - start > maxCount) start++;
      cut();
    },
    dropBefore(time) {
      for (let first = entries[start]; first && first.event.time < time; first = entries[start]) start++;
      cut();
    },
    limitTo(count) {
      maxCount = count;
      start = Math.max(start, entries.length - maxCount);
      cut();
    },
    snapshot: () => entries.slice(start),
  };
}
