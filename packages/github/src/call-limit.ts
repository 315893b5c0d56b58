import { setMaxListeners } from 'node:events';
import { type Clock, limitTime } from '@rungar/model';

/** What every call of one client shares: its clock, and the signal that ends them all. */
export interface CallScope {
  readonly clock: Clock;
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal;
}

/** A signal for one call, and the instant on the monotonic clock by which it ends. */
export interface CallLimit {
  readonly signal: AbortSignal;
  readonly endsAt: number;
}

/** One signal may end hundreds of calls: Node takes more than ten listeners for a leak, and says so on stderr. */
export function expectManyCalls(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}

/**
 * Runs `work` for at most `ms` milliseconds, until `signal` aborts, or until the client closes.
 * @param late the error at the time limit
 * @throws the signal's reason when it aborted
 */
export async function withLimit<T>(
  scope: CallScope,
  ms: number,
  late: () => Error,
  signal: AbortSignal | undefined,
  work: (limit: CallLimit) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  scope.closing.throwIfAborted();
  if (signal) expectManyCalls(signal);
  const endsAt = scope.clock.now() + ms;
  const limit = limitTime(scope.clock, ms, late, signal);
  const ending = new AbortController();
  const onLimit = (): void => ending.abort(limit.signal.reason);
  const onClosing = (): void => ending.abort(scope.closing.reason);
  limit.signal.addEventListener('abort', onLimit, { once: true });
  scope.closing.addEventListener('abort', onClosing, { once: true });
  try {
    return await work({ signal: ending.signal, endsAt });
  } finally {
    scope.closing.removeEventListener('abort', onClosing);
    limit[Symbol.dispose]();
  }
}

/** Waits for `work` until `signal` aborts; the work itself goes on for whoever else waits for it. */
export async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  expectManyCalls(signal);
  let giveUp = (): void => {};
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  try {
    const settled = await Promise.race([givenUp, work.then((value) => ({ value }))]);
    if (settled) return settled.value;
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Gives all callers at one time the same run of `work`. Each may stop waiting without ending it for the others. */
export function shareCall<T>(work: () => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let running: Promise<T> | undefined;
  return (signal) => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return waitFor(running, signal);
  };
}
