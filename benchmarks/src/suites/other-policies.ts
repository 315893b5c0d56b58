import { seededRandom } from '@rungar/model/testing';
import type { Measurement } from '../benchmark.js';
import type { Bucket } from './simulated-ec2.js';

// Plain models of what other runner managers do, with the latencies of the benchmarks they stand beside: no code of
// ours runs in them. Times are milliseconds.

const REGISTER_MS = 200;
const CREATE_MS = 500;
const REFUSAL_MS = 100;
const STEP_MS = 10;

const FIRST_SKIP_MS = 15_000;
const LONGEST_SKIP_MS = 120_000;

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 20_000;

/** What a policy came to. */
interface Outcome {
  readonly lastCreatedMs: number;
  /** Requests for machines, refused ones included. */
  readonly requests: number;
}

/** The tokens of a bucket, asked for in the order of time. */
function tokensOf({ size, perSecond }: Bucket): (atMs: number) => boolean {
  let tokens = size;
  let filledAt = 0;
  return (atMs) => {
    for (; filledAt < atMs; filledAt += STEP_MS)
      tokens = Math.min(size, tokens + (perSecond(filledAt) * STEP_MS) / 1000);
    if (tokens < 1 - 1e-9) return false;
    tokens -= 1;
    return true;
  };
}

/** Each machine is registered and made before the next one. */
export function oneAtATimeMs(machines: number): number {
  return machines * (REGISTER_MS + CREATE_MS);
}

/**
 * Every scale set asks for all it lacks at once. A refusal has it leave the provider alone for 15 s, twice as long for
 * each further one in a row, up to two minutes; what was registered for a refused machine is lost.
 */
export function skipWhenRefused(bucket: Bucket, scaleSets: number, each: number): Outcome {
  const granted = tokensOf(bucket);
  const lacking = Array.from({ length: scaleSets }, () => ({ machines: each, nextAt: 0, refusals: 0 }));
  let lastCreatedMs = 0;
  let requests = 0;
  for (;;) {
    const waiting = lacking.filter(({ machines }) => machines > 0).sort((a, b) => a.nextAt - b.nextAt);
    const [next] = waiting;
    if (!next) return { lastCreatedMs, requests };
    const at = next.nextAt + REGISTER_MS;
    for (let asked = next.machines; asked > 0; asked--) {
      requests += 1;
      if (granted(at)) {
        next.machines -= 1;
        next.refusals = 0;
        lastCreatedMs = Math.max(lastCreatedMs, at + CREATE_MS);
      } else next.refusals += 1;
    }
    next.nextAt = at + REFUSAL_MS + Math.min(FIRST_SKIP_MS * 2 ** (next.refusals - 1), LONGEST_SKIP_MS);
  }
}

/** All machines are asked for at once, and each that is refused again after a random wait of up to 100 ms, 200 ms … 20 s. */
export function retryWithJitter(bucket: Bucket, machines: number, seed: number): Outcome {
  const granted = tokensOf(bucket);
  const random = seededRandom(seed);
  const asking = Array.from({ length: machines }, () => ({ at: REGISTER_MS, refusals: 0 }));
  let lastCreatedMs = 0;
  let requests = 0;
  while (asking.length > 0) {
    asking.sort((a, b) => b.at - a.at);
    const next = asking.pop();
    if (!next) break;
    requests += 1;
    if (granted(next.at)) {
      lastCreatedMs = Math.max(lastCreatedMs, next.at + CREATE_MS);
      continue;
    }
    const longest = Math.min(FIRST_RETRY_MS * 2 ** next.refusals, LONGEST_RETRY_MS);
    asking.push({ at: next.at + REFUSAL_MS + random.fraction() * longest, refusals: next.refusals + 1 });
  }
  return { lastCreatedMs, requests };
}

/** A row for comparison: what another policy takes against the same ideal. It is not judged. */
export function forComparison(
  what: string,
  unit: 'ms' | 'calls',
  ours: (seed: number) => number,
  reference: number,
): Measurement {
  return {
    what: `for comparison: ${what}`,
    async run({ seed }) {
      const other = ours(seed);
      return { ours: other, reference, unit, ratio: other / reference, better: 'lower' };
    },
  };
}
