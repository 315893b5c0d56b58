import type { Waits } from './result.js';

const STEP_MS = 100;
const LONGEST_MS = 2 * 3_600_000;

/** Counts of waits in steps of a tenth of a second: of one size, however many it is told of. */
export class WaitCounts {
  readonly #counts = new Uint32Array(LONGEST_MS / STEP_MS + 1);
  #total = 0;
  #longestMs = 0;

  add(ms: number): void {
    const at = Math.min(this.#counts.length - 1, Math.round(ms / STEP_MS));
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total++;
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
    this.#longestMs = 0;
  }

  /** @returns nothing where nobody waited */
  summary(): Waits | undefined {
    if (this.#total === 0) return undefined;
    const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = this.#at([0.5, 0.9, 0.95, 0.99]);
    return { count: this.#total, p50, p90, p95, p99, max: Math.round(this.#longestMs / STEP_MS) / 10 };
  }

  /** The waits in seconds that these shares, in rising order, do not exceed. */
  #at(shares: readonly number[]): number[] {
    const found: number[] = [];
    let passed = 0;
    for (let at = 0; at < this.#counts.length && found.length < shares.length; at++) {
      passed += this.#counts[at] ?? 0;
      while (found.length < shares.length && passed >= (shares[found.length] ?? 1) * this.#total)
        found.push((at * STEP_MS) / 1000);
    }
    return found;
  }
}
