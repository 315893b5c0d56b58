/** Whose turn something is. */
export interface Turn {
  /** Higher goes first; 0 unless given. */
  readonly priority?: number;
  /** Those of one priority take turns by this, and those of one key go as they came. The same for all unless given. */
  readonly key?: string;
}

/** One that waits for its turn. */
export interface Ticket {
  readonly turn: Turn;
  /** Counts those that came: the smaller, the earlier. */
  readonly order: number;
  /** Whether it has had its turn before, in vain: then it goes before all others of its priority. */
  readonly again: boolean;
}

/** Those that wait: by priority, then by turns among their keys, so that no key waits for all of another. */
export interface FairQueue<T extends Ticket> {
  readonly size: number;
  add(ticket: T): void;
  /** Takes out the one whose turn it is. */
  next(): T | undefined;
  /** Takes out one that waits no more. */
  remove(ticket: T): void;
}

/** Those of one priority. A key's first waits for the present round, its second for the next, and so on. */
interface Lane<T> {
  round: number;
  readonly lastOf: Map<string, number>;
  readonly waiting: { readonly ticket: T; readonly round: number }[];
}

export function createFairQueue<T extends Ticket>(): FairQueue<T> {
  const lanes = new Map<number, Lane<T>>();
  let size = 0;

  const roundOf = ({ round, lastOf }: Lane<T>, { again, turn: { key = '' } }: T): number => {
    if (again) return 0;
    const mine = Math.max(round, lastOf.get(key) ?? 0) + 1;
    lastOf.set(key, mine);
    return mine;
  };

  /** A lane that is empty has nobody who could wait for another. */
  const tookFrom = (lane: Lane<T>, priority: number): void => {
    size -= 1;
    if (lane.waiting.length === 0) lanes.delete(priority);
  };

  return {
    get size() {
      return size;
    },
    add(ticket) {
      const { priority = 0 } = ticket.turn;
      const lane = lanes.get(priority) ?? { round: 0, lastOf: new Map(), waiting: [] };
      lanes.set(priority, lane);
      const round = roundOf(lane, ticket);
      const isLater = (other: Lane<T>['waiting'][number]): boolean =>
        other.round === round ? other.ticket.order > ticket.order : other.round > round;
      const at = lane.waiting.findIndex(isLater);
      lane.waiting.splice(at === -1 ? lane.waiting.length : at, 0, { ticket, round });
      size += 1;
    },
    next() {
      if (size === 0) return undefined;
      const priority = Math.max(...lanes.keys());
      const lane = lanes.get(priority);
      const first = lane?.waiting.shift();
      if (!lane || !first) return undefined;
      lane.round = Math.max(lane.round, first.round);
      tookFrom(lane, priority);
      return first.ticket;
    },
    remove(ticket) {
      const { priority = 0 } = ticket.turn;
      const lane = lanes.get(priority);
      const at = lane?.waiting.findIndex((one) => one.ticket === ticket) ?? -1;
      if (!lane || at === -1) return;
      lane.waiting.splice(at, 1);
      tookFrom(lane, priority);
    },
  };
}
