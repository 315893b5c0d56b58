import type { Clock } from '@rungar/model';

/** Rung when something changed, waited for by the one loop that looks. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when it is rung, or was since the last wait, and after `ms` at the latest. */
  async wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (!this.#rung) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      try {
        await clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
      } catch {
        signal.throwIfAborted();
      } finally {
        this.#wake = undefined;
      }
    }
    signal.throwIfAborted();
    this.#rung = false;
  }
}

/** Work that goes on beside a loop, and ends with it. The first failure is kept for the loop to throw. */
export class Tasks implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #bell: Bell;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(bell: Bell, signal: AbortSignal) {
    this.#bell = bell;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const running = work(this.#signal)
      .catch((error: unknown) => {
        if (!this.#signal.aborted) this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(running);
        this.#bell.ring();
      });
    this.#running.add(running);
  }

  /** How many have not ended. */
  get running(): number {
    return this.#running.size;
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
