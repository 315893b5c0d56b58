/** Calls a project may make in a minute, by what they do; more are refused until the minute turns. */
export interface GceRates {
  /** Inserts, deletions and changes of labels. */
  readonly writesPerMinute?: number;
  readonly readsPerMinute?: number;
}

const MINUTE_MS = 60_000;

/** The counters of those rates: each starts anew as the minute turns. */
export class RateQuota {
  readonly #now: () => number;
  #rates: GceRates;
  #minute = 0;
  #used = { writes: 0, reads: 0 };

  /** @param now epoch milliseconds */
  constructor(now: () => number, rates: GceRates) {
    this.#now = now;
    this.#rates = rates;
  }

  set(rates: GceRates): void {
    this.#rates = rates;
  }

  /** Counts a call, if it is still allowed. */
  take(kind: 'writes' | 'reads'): boolean {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute !== this.#minute) this.#used = { writes: 0, reads: 0 };
    this.#minute = minute;
    const most = kind === 'writes' ? this.#rates.writesPerMinute : this.#rates.readsPerMinute;
    if (most !== undefined && this.#used[kind] >= most) return false;
    this.#used[kind] += 1;
    return true;
  }
}
