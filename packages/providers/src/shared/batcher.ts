import type { Clock } from '@rungar/model';

export interface BatcherOptions<T, R> {
  readonly clock: Clock;
  /** How long the first item waits for others, in milliseconds. */
  readonly windowMs: number;
  /** How long items wait for the batch in flight to be answered before they go beside it, in milliseconds. */
  readonly patienceMs: number;
  readonly most: number;
  /** Answers for every item of the batch, in its order. */
  send(items: readonly T[]): Promise<readonly PromiseSettledResult<R>[]>;
}

/** Joins single requests that come close together into one call. */
export interface Batcher<T, R> {
  /** @throws what the batch says of this item; the signal's reason when it aborts, which takes an item not yet sent back. */
  add(item: T, signal: AbortSignal): Promise<R>;
}

interface Waiting<T, R> {
  readonly item: T;
  resolve(value: R): void;
  reject(reason: unknown): void;
}

/** One batch is in flight at a time while it is answered soon, so that a slow backend gets fewer and larger ones. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { clock, most } = options;
  let waiting: Waiting<T, R>[] = [];
  let gathering = false;
  let inFlight: Promise<void> | undefined;

  const answer = (batch: readonly Waiting<T, R>[], results: readonly PromiseSettledResult<R>[]): void => {
    for (const [at, one] of batch.entries()) {
      const result = results[at];
      if (result?.status === 'fulfilled') one.resolve(result.value);
      else one.reject(result?.reason);
    }
  };

  const sendNext = (): void => {
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (batch.length === 0) return;
    const sent = options
      .send(batch.map((one) => one.item))
      .then(
        (results) => answer(batch, results),
        (error: unknown) => {
          for (const one of batch) one.reject(error);
        },
      )
      .finally(() => {
        if (inFlight === sent) inFlight = undefined;
      });
    inFlight = sent;
  };

  const gather = async (): Promise<void> => {
    gathering = true;
    await clock.sleep(options.windowMs);
    if (inFlight && waiting.length > 0) {
      const patience = new AbortController();
      await Promise.race([inFlight, clock.sleep(options.patienceMs, patience.signal).catch(() => {})]);
      patience.abort();
    }
    sendNext();
    gathering = false;
    if (waiting.length > 0) void gather();
  };

  return {
    add(item, signal) {
      return new Promise<R>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const done = (): void => signal.removeEventListener('abort', leave);
        const one: Waiting<T, R> = {
          item,
          resolve(value) {
            done();
            resolve(value);
          },
          reject(reason) {
            done();
            reject(reason as Error);
          },
        };
        const leave = (): void => {
          waiting = waiting.filter((other) => other !== one);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(one);
        if (!gathering) void gather();
      });
    },
  };
}
