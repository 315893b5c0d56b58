import { reasonOf } from './time-limit.js';

/** Who waits at a gate. */
export interface Turn {
  /** Those of one key are served in order, and keys of one priority in turn. */
  readonly key: string;
  /** Higher goes first. */
  readonly priority: number;
}

interface Waiter {
  enter(): void;
}

interface Queue {
  readonly priority: number;
  readonly key: string;
  /** How often it was let in since the gate was last idle, or would have been while nobody of it waited. */
  served: number;
  readonly waiters: Set<Waiter>;
}

/** `leave`, which may be called again without effect. */
export function once(leave: () => void): () => void {
  let left = false;
  return () => {
    if (left) return;
    left = true;
    leave();
  };
}

/** Lets a limited number in at once: by priority, then fairly by key. */
export class Gate {
  readonly #queues = new Map<string, Queue>();
  #limit: number;
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Applies from the next one to leave on; nobody inside is sent away. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#letIn();
  }

  get inside(): number {
    return this.#inside;
  }

  /**
   * Resolves once there is room.
   * @param signal ends the wait; without it there is no giving up
   * @returns what to call on leaving, once
   * @throws the signal's reason when it aborts first
   */
  enter(turn: Turn, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      const queue = this.#queueOf(turn);
      const onAbort = (): void => {
        queue.waiters.delete(waiter);
        if (signal) reject(reasonOf(signal));
      };
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(() => this.#leave());
        },
      };
      this.#join(queue, waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#letIn();
    });
  }

  #queueOf({ key, priority }: Turn): Queue {
    const id = `${priority} ${key}`;
    let queue = this.#queues.get(id);
    if (!queue) {
      queue = { priority, key, served: 0, waiters: new Set() };
      this.#queues.set(id, queue);
    }
    return queue;
  }

  /** Whoever has not waited for a while has no arrears: else the others would wait until it had caught up. */
  #join(queue: Queue, waiter: Waiter): void {
    if (queue.waiters.size === 0) {
      const waiting = [...this.#queues.values()].filter(({ waiters }) => waiters.size > 0);
      const least = Math.min(...waiting.map(({ served }) => served));
      if (Number.isFinite(least)) queue.served = Math.max(queue.served, least);
    }
    queue.waiters.add(waiter);
  }

  #leave(): void {
    this.#inside--;
    if (this.#inside === 0 && [...this.#queues.values()].every(({ waiters }) => waiters.size === 0))
      this.#queues.clear();
    this.#letIn();
  }

  #letIn(): void {
    while (this.#inside < this.#limit) {
      const queue = this.#next();
      const [waiter] = queue?.waiters ?? [];
      if (!queue || !waiter) return;
      queue.waiters.delete(waiter);
      queue.served++;
      this.#inside++;
      waiter.enter();
    }
  }

  #next(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.waiters.size === 0) continue;
      if (!best || queue.priority > best.priority || (queue.priority === best.priority && queue.served < best.served))
        best = queue;
    }
    return best;
  }
}
