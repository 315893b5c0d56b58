import { type Clock, type DeleteOutcome, RungarError } from '@rungar/model';
import { rememberFor } from './recent.js';

/** How long a backend may take to begin what it was asked for and never answered. */
const MAY_COME_MS = 60_000;
/** How long a deletion waits for such a machine, before it leaves it to the next deletion. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 2_000;

/**
 * What a failed request for a machine says: it may have been taken; it was not, which says nothing of the ones before it;
 * or it was refused, and so were those that it repeats.
 */
export type Taken = 'unknown' | 'no' | 'never';

/** Machines a backend was asked for while nobody knows whether it makes them: a call that ended, or a lost answer. */
export interface Outstanding {
  /**
   * Makes ready to ask for a machine of that name, in one request or in identical ones that the backend knows for the
   * same.
   * @param send sends one of them
   * @param takenBy what an error it ends with says
   * @returns the same as `send`, told to nobody but here
   */
  asking<T>(name: string, send: () => Promise<T>, takenBy: (error: unknown) => Taken): () => Promise<T>;
  /** It has come to something: the machine is there, or never will be. */
  answered(name: string): void;
  /**
   * Deletes a machine by its name. One that may yet come is looked for again, for a while.
   * @param look deletes what has the name now, if it is ours
   * @throws RungarError `unavailable` when it has not come and may; what `look` throws
   */
  deleteOnceThere(name: string, look: () => Promise<DeleteOutcome>, signal: AbortSignal): Promise<DeleteOutcome>;
}

export function rememberOutstanding(clock: Clock): Outstanding {
  const names = rememberFor(MAY_COME_MS, clock);
  return {
    asking(name, send, takenBy) {
      let isUnknown = false;
      return async () => {
        names.add(name);
        try {
          return await send();
        } catch (error) {
          const taken = takenBy(error);
          isUnknown ||= taken === 'unknown';
          if (taken === 'never' || !isUnknown) names.delete(name);
          throw error;
        }
      };
    },
    answered: (name) => names.delete(name),
    async deleteOnceThere(name, look, signal) {
      for (const until = clock.now() + PATIENCE_MS; ; await clock.sleep(LOOK_EVERY_MS, signal)) {
        const mayCome = names.has(name); // before the look, which may come to nothing just before the machine is there
        const outcome = await look();
        if (outcome === 'deleted') names.delete(name);
        if (outcome === 'deleted' || !mayCome) return outcome;
        if (clock.now() < until) continue;
        throw new RungarError('unavailable', `${name} was asked for a moment ago, and may be there yet`);
      }
    },
  };
}
