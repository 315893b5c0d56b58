/** One measurement: milliseconds that one round took. */
export type Round = () => number | Promise<number>;

export interface Comparison {
  /** The middle one of the rounds' ratios, ours ÷ reference. */
  readonly ratio: number;
  readonly min: number;
  readonly max: number;
  /** The middle time of a round, in milliseconds. */
  readonly oursMs: number;
  readonly referenceMs: number;
}

const ROUNDS = 9;
const MOST_WARM_UPS = 20;
/** Warm is when a round and the one before it agree as closely as this. */
const AGREEMENT = 1.1;

/**
 * Times ours and the reference in turn, round for round, so that whatever slows the machine slows both.
 * Both are warmed up first, until two rounds agree.
 * @param tries how often each is timed in a round, in turn; the fastest counts, the others were slowed by something else
 */
export async function compare(ours: Round, reference: Round, tries = 1): Promise<Comparison> {
  await warmUp(ours);
  await warmUp(reference);
  const rounds: { ours: number; reference: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const fastest = { ours: Number.POSITIVE_INFINITY, reference: Number.POSITIVE_INFINITY };
    for (let one = 0; one < tries; one++) {
      fastest.ours = Math.min(fastest.ours, await ours());
      fastest.reference = Math.min(fastest.reference, await reference());
    }
    rounds.push(fastest);
  }
  const ratios = rounds.map((round) => round.ours / round.reference);
  return {
    ratio: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
    oursMs: median(rounds.map((round) => round.ours)),
    referenceMs: median(rounds.map((round) => round.reference)),
  };
}

async function warmUp(round: Round): Promise<void> {
  let last = await round();
  for (let more = 0; more < MOST_WARM_UPS; more++) {
    const next = await round();
    if (Math.max(last, next) <= Math.min(last, next) * AGREEMENT) return;
    last = next;
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
