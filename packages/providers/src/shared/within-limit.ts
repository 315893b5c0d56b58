import { type Clock, limitTime, RungarError } from '@rungar/model';

/**
 * What `promise` settles with, or a rejection with the signal's reason as soon as `signal` aborts. The promise
 * itself goes on; its late rejection is nobody's.
 */
export function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => reject(signal.reason as Error);
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}

/**
 * Runs `work` for at most `ms` milliseconds of `clock`'s time, whether it heeds its signal or not.
 * @param what names the work in the error, as its subject: `DescribeInstances`
 * @throws RungarError `unavailable` at the limit; the signal's own reason when that aborted first
 */
export async function withinLimit<T>(
  clock: Clock,
  ms: number,
  what: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const tooLong = (): Error => new RungarError('unavailable', `${what} was not answered within ${ms / 1000} s`);
  const limit = limitTime(clock, ms, tooLong, signal);
  try {
    return await waitFor(work(limit.signal), limit.signal);
  } finally {
    limit[Symbol.dispose]();
  }
}
