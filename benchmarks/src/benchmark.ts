/** What a benchmark may use. Inputs come from `seed` alone, and times from `now` alone. */
export interface Lab {
  readonly seed: number;
  /** Milliseconds, with a fraction, that only go forward. */
  now(): number;
  /** Milliseconds of CPU that this process has had: what else runs on the machine leaves them alone. */
  cpu(): number;
  /** The Node that runs the benchmarks, to start others of it. */
  readonly node: string;
  /** The repository. */
  readonly root: string;
  /** The environment for programs it starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a higher or a lower ratio is the better one. */
export type Better = 'higher' | 'lower';

/** What was measured: ours, what it is compared with, and the ratio of the two, which alone is judged. */
export interface Result {
  /** Ours and the reference, for interest: a rate, a time or a count. */
  readonly ours: number;
  readonly reference: number | undefined;
  readonly unit: string;
  readonly ratio: number;
  readonly better: Better;
  /** What we want to be able to say. Without it the result is for interest only. */
  readonly target?: number;
  /** Beyond it the work is not finished. */
  readonly bar?: number;
  /** The lowest and highest ratio seen, where it was measured more than once. */
  readonly spread?: { readonly min: number; readonly max: number };
}

/**
 * `virtual` is exact: counts, and times on a simulated clock; the same on every machine, and run in CI. `real` measures
 * CPU, memory, start-up or the wire; only its ratios mean anything.
 */
export type Kind = 'virtual' | 'real';

/** One row of the table. */
export interface Measurement {
  readonly what: string;
  /**
   * Measures, and makes sure that what was measured did all of its work.
   * @throws when the outcome is wrong: that is a failure whatever the time
   */
  run(lab: Lab): Promise<Result>;
}

export interface Benchmark {
  /** As the targets name it: `P30`. */
  readonly id: string;
  readonly kind: Kind;
  readonly what: string;
  readonly measurements: readonly Measurement[];
}
