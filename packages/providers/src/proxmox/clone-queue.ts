import type { Clock, Random } from '@rungar/model';
import { createFairQueue, type Ticket, type Turn } from '../shared/fair-queue.js';

export interface CloneQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  isLocked(error: unknown): boolean;
}

/**
 * Keeps clones apart that would wait for one another's lock. One that was refused for the lock is not lost: it waits
 * here and is tried again, ahead of those that came later, until its caller's signal ends.
 */
export interface CloneQueue {
  /**
   * @param storage clones on one storage count together
   * @param turn of clones that wait, those of a higher priority go first, and keys of one priority by turns
   * @throws what `clone` throws, lock time-outs excepted; the signal's reason when it aborts while it waits
   */
  run<T>(storage: string, clone: () => Promise<T>, signal: AbortSignal, turn?: Turn): Promise<T>;
}

/** How many go at once on a storage that has never refused one. */
const MOST_AT_ONCE = 8;
/** How long to leave a lock alone that somebody else has. */
const PAUSE_MS = 1_000;

interface Waiting extends Ticket {
  go(): void;
}

/** A clone that takes so much longer than the fastest has waited for the others: more at once would gain nothing. */
const SLOWER = 1.5;

/**
 * Each clone that goes well lets one more go beside the others, unless they slow one another down; the first that is
 * refused for the lock says that this storage works on one at a time, and from then on they go one after the other.
 */
export function createCloneQueue(options: CloneQueueOptions): CloneQueue {
  const storages = new Map<string, StorageQueue>();
  return {
    run(storage, clone, signal, turn = {}) {
      let queue = storages.get(storage);
      if (!queue) {
        queue = new StorageQueue(options);
        storages.set(storage, queue);
      }
      return queue.run(clone, signal, turn);
    },
  };
}

class StorageQueue {
  readonly #options: CloneQueueOptions;
  readonly #waiting = createFairQueue<Waiting>();
  #atOnce = 1;
  #fastestMs = Number.POSITIVE_INFINITY;
  #hasRefused = false;
  #running = 0;
  #tickets = 0;

  constructor(options: CloneQueueOptions) {
    this.#options = options;
  }

  async run<T>(clone: () => Promise<T>, signal: AbortSignal, turn: Turn): Promise<T> {
    const order = this.#tickets++;
    for (let again = false; ; again = true) {
      await this.#wait({ turn, order, again }, signal);
      let alone = false;
      const begunAt = this.#options.clock.now();
      try {
        const made = await clone();
        this.#learn(this.#options.clock.now() - begunAt);
        return made;
      } catch (error) {
        if (!this.#options.isLocked(error)) throw error;
        this.#hasRefused = true;
        this.#atOnce = 1;
        alone = this.#running === 1;
      } finally {
        this.#running -= 1;
        if (!alone) this.#pump();
      }
      if (alone) await this.#pause(signal);
    }
  }

  #learn(tookMs: number): void {
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    if (this.#hasRefused) return;
    if (tookMs <= this.#fastestMs * SLOWER) this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce + 1);
    else this.#atOnce = Math.max(1, this.#atOnce - 1);
  }

  /** Somebody else has the lock: nobody here need try for a moment. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    this.#running += 1;
    try {
      await clock.sleep(PAUSE_MS * (1 + random.fraction()), signal);
      this.#running -= 1; // nobody goes yet: it is the turn of whoever paused
    } catch (error) {
      this.#running -= 1;
      this.#pump();
      throw error;
    }
  }

  #wait(ticket: Ticket, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        this.#waiting.remove(waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        ...ticket,
        go() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#running < this.#atOnce && this.#waiting.size > 0) {
      this.#running += 1;
      this.#waiting.next()?.go();
    }
  }
}
