import type { EmulatorClock } from '../clock.js';

/** Tells those who wait that something may have changed: once for everything that changes in one go. */
export class Bell {
  readonly #listeners = new Set<() => void>();
  #ringing = false;

  ring(): void {
    if (this.#ringing) return;
    this.#ringing = true;
    queueMicrotask(() => {
      this.#ringing = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export interface Hold<T> {
  readonly clock: EmulatorClock;
  /** How long to wait; 0 looks once. */
  readonly ms: number;
  readonly bell: Bell;
  /** Ends the wait when the caller goes away. */
  readonly signal: AbortSignal;
  /** What is waited for, if it is there. */
  readonly look: () => T | undefined;
}

/** Waits until `look` finds something. Undefined when it has not after `ms`, or when the caller is gone. */
export function holdUntil<T>({ clock, ms, bell, signal, look }: Hold<T>): Promise<T | undefined> {
  const found = signal.aborted ? undefined : look();
  if (found !== undefined || signal.aborted || ms <= 0) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = (result: T | undefined): void => {
      stopTimer();
      stopListening();
      signal.removeEventListener('abort', giveUp);
      resolve(result);
    };
    const giveUp = (): void => end(undefined);
    const stopTimer = clock.after(ms, giveUp);
    const stopListening = bell.listen(() => {
      const result = look();
      if (result !== undefined) end(result);
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
