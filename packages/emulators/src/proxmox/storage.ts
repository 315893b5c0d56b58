import type { EmulatorClock } from '../clock.js';
import type { PveStorage } from './catalogue.js';

interface Waiting {
  run(): void;
  /** Takes it out of the queue. */
  leave(): void;
}

/** A storage with its lock: one clone works on it at a time, others wait, and not for ever. */
export class Storage {
  readonly info: PveStorage;
  free: number;
  readonly #clock: EmulatorClock;
  readonly #queue: Waiting[] = [];
  #isHeld = false;

  constructor(info: PveStorage, clock: EmulatorClock) {
    this.info = info;
    this.free = info.free;
    this.#clock = clock;
  }

  /**
   * Runs `work` under the lock.
   * @param waitMs how long it may wait for it
   * @param work is given what lets the lock go
   */
  lock(waitMs: number, work: (release: () => void) => void, tooLate: () => void): void {
    const run = (): void => {
      this.#isHeld = true;
      work(() => {
        this.#isHeld = false;
        this.#queue.shift()?.run();
      });
    };
    if (!this.#isHeld) run();
    else if (waitMs <= 0) tooLate();
    else this.#wait(waitMs, run, tooLate);
  }

  #wait(waitMs: number, run: () => void, tooLate: () => void): void {
    const stop = this.#clock.after(waitMs, () => {
      waiting.leave();
      tooLate();
    });
    const waiting: Waiting = {
      run: () => {
        stop();
        run();
      },
      leave: () => void this.#queue.splice(this.#queue.indexOf(waiting), 1),
    };
    this.#queue.push(waiting);
  }
}
