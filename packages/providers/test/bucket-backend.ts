import type { Clock } from '@rungar/model';

export class Throttled extends Error {}

/** A backend that grants calls from a token bucket, whose rate may change with time. */
export interface BucketBackend {
  call(): Promise<number>;
  readonly granted: number;
  readonly refused: number;
  /** The clock's time of the last call granted. */
  readonly lastGrantedAt: number;
}

export interface Bucket {
  readonly size: number;
  /** Tokens a second at a time after the start, in milliseconds. */
  perSecond(sinceStartMs: number): number;
  readonly answerMs: number;
  readonly refusalMs: number;
}

const STEP_MS = 10;

export function bucketBackend(clock: Clock, bucket: Bucket): BucketBackend {
  const start = clock.now();
  let tokens = bucket.size;
  let at = start;
  let granted = 0;
  let refused = 0;
  let lastGrantedAt = start;

  const fill = (): void => {
    for (const now = clock.now(); at < now; at += STEP_MS) {
      tokens = Math.min(bucket.size, tokens + (bucket.perSecond(at - start) * STEP_MS) / 1000);
    }
  };

  return {
    async call() {
      fill();
      if (tokens < 1) {
        refused += 1;
        await clock.sleep(bucket.refusalMs);
        throw new Throttled();
      }
      tokens -= 1;
      granted += 1;
      lastGrantedAt = clock.now();
      await clock.sleep(bucket.answerMs);
      return granted;
    },
    get granted() {
      return granted;
    },
    get refused() {
      return refused;
    },
    get lastGrantedAt() {
      return lastGrantedAt;
    },
  };
}
