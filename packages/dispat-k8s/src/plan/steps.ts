/** A long computation that can be left at every step. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Does it step by step, and lets the process hear its signals in between.
 * @throws the signal's reason once that aborts
 */
export async function inTurns<Result>(steps: Steps<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
