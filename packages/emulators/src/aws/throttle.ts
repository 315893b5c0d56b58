/** A token bucket as EC2 keeps one per action. */
export interface Rate {
  /** Most calls at once. */
  readonly bucket: number;
  /** Calls that come back each second. */
  readonly perSecond: number;
}

/** One token bucket per action; an action without a rate is never held back. */
export class Throttle {
  readonly #now: () => number;
  readonly #buckets = new Map<string, { rate: Rate; tokens: number; at: number }>();

  /** @param now milliseconds that only go forward */
  constructor(now: () => number, rates: Readonly<Record<string, Rate>>) {
    this.#now = now;
    for (const [action, rate] of Object.entries(rates)) this.set(action, rate);
  }

  /** Changes an action's rate. A bucket that was there keeps what is in it, as far as it fits. */
  set(action: string, rate: Rate | undefined): void {
    if (rate === undefined) {
      this.#buckets.delete(action);
      return;
    }
    this.#refill(action);
    const tokens = Math.min(this.#buckets.get(action)?.tokens ?? rate.bucket, rate.bucket);
    this.#buckets.set(action, { rate, tokens, at: this.#now() });
  }

  /** Takes a token of `action`, if there is one. */
  take(action: string): boolean {
    this.#refill(action);
    const bucket = this.#buckets.get(action);
    if (bucket === undefined) return true;
    // Sums of thirds and tenths of a token come out a hair below the whole.
    if (bucket.tokens < 1 - 1e-9) return false;
    bucket.tokens -= 1;
    return true;
  }

  #refill(action: string): void {
    const bucket = this.#buckets.get(action);
    if (bucket === undefined) return;
    const now = this.#now();
    bucket.tokens = Math.min(bucket.rate.bucket, bucket.tokens + ((now - bucket.at) / 1000) * bucket.rate.perSecond);
    bucket.at = now;
  }
}
