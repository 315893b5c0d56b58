/** Something that happens at an instant. Without `run` it has been called off. */
export interface Timer {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Lets every promise that can settle now do so: microtasks run to their end before an immediate does. */
const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Virtual time: the only thing that ever wakes anybody. One step is one thing that happens, and all it leads to. */
export class Scheduler {
  now: number;
  steps = 0;
  readonly #heap: Timer[] = [];
  #order = 0;
  #woke = false;

  /** @param start epoch milliseconds */
  constructor(start: number) {
    this.now = start;
  }

  after(ms: number, run: () => void): Timer {
    const timer: Timer = { at: this.now + Math.max(0, Math.round(ms)), order: this.#order++, run };
    this.#push(timer);
    return timer;
  }

  cancel(timer: Timer | undefined): void {
    if (timer) timer.run = undefined;
  }

  /** Says that a promise was settled or a signal aborted: the code under test runs to rest before the next step. */
  wake(): void {
    this.#woke = true;
  }

  /** Goes on until `end`, or until `done` says so after a step. */
  async runUntil(end: number, done: () => boolean): Promise<void> {
    await rest();
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.at > end) break;
      this.#pop();
      const { run } = next;
      if (!run) continue;
      this.now = Math.max(this.now, next.at);
      this.steps++;
      this.#woke = false;
      run();
      if (this.#woke) await rest();
      if (done()) return;
    }
    this.now = Math.max(this.now, end);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (!above || !before(timer, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let lower = heap[child];
      if (!lower) break;
      const right = heap[child + 1];
      if (right && before(right, lower)) {
        child++;
        lower = right;
      }
      if (!before(lower, last)) break;
      heap[at] = lower;
      at = child;
    }
    heap[at] = last;
  }
}
