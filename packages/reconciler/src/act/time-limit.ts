import { setMaxListeners } from 'node:events';
import { type Clock, limitTime, RungarError } from '@rungar/model';

/** A signal that ends any number of waits at once: Node takes more than ten for a leak, and says so on stderr. */
export function forManyWaits(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

/**
 * Runs a call that may not heed its signal: it is given up at the limit, or when `parent` aborts, whatever it does.
 * @param what names the call in the error: `list of rack-a`
 * @throws RungarError `unavailable` at the limit; the reason of `parent` when that aborts first
 */
export async function withLimit<T>(
  clock: Clock,
  ms: number,
  what: string,
  parent: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = limitTime(
    clock,
    ms,
    () => new RungarError('unavailable', `${what}: no answer within ${ms / 1000} s`),
    parent,
  );
  return await abandonable(limit.signal, call);
}

/** Runs a call and stops waiting for it when the signal aborts. What it answers later is dropped. */
export function abandonable<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal));
    const onAbort = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    // A program's own port may answer at once, without a promise.
    void Promise.resolve(call(signal))
      .then(resolve, reject)
      .then(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits until every task has ended, one way or another, but no longer than `ms`. */
export async function settledWithin(clock: Clock, ms: number, tasks: Iterable<Promise<unknown>>): Promise<void> {
  const waiting = [...tasks];
  if (waiting.length === 0) return;
  const done = new AbortController();
  const limit = clock.sleep(ms, done.signal).catch(() => {});
  await Promise.race([Promise.allSettled(waiting), limit]);
  done.abort();
}

/** Why a signal aborted, as an error. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}
