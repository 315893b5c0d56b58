import type { Violation } from '../simulation/checks.js';

/** How long jobs waited for a runner, in seconds. */
export interface Waits {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface CallCount {
  /** GitHub, or a provider. */
  readonly who: string;
  readonly kind: string;
  readonly total: number;
  readonly mostInAnHour: number;
}

export interface IncidentSeen {
  readonly what: string;
  /** Minutes from the start of the run. */
  readonly from: number;
  readonly minutes: number;
  /** Of the jobs whose wait fell into it, in part or as a whole. */
  readonly waits?: Waits;
}

export interface MemorySeen {
  /** Days from the start of the run. */
  readonly day: number;
  /** After a collection. */
  readonly heapMiB: number;
  readonly rssMiB: number;
}

/** The value of each hour, from the first on. */
export interface ByHour {
  /** Jobs that were queued. */
  readonly jobs: readonly number[];
  /** The mean number of machines, and of those with a job. */
  readonly machines: readonly number[];
  readonly busy: readonly number[];
  /** Of the jobs that began, in seconds. */
  readonly waitP50: readonly (number | null)[];
  readonly waitP99: readonly (number | null)[];
  readonly calls: Readonly<Record<string, readonly number[]>>;
}

/** What came of a soak. All but `host` is the same for the same seed, length and sources. */
export interface SoakResult {
  readonly seed: number;
  readonly hours: number;
  readonly jobs: {
    readonly queued: number;
    readonly succeeded: number;
    readonly cancelled: number;
    /** Failed with a machine that was taken back, and were queued again. */
    readonly reclaimed: number;
  };
  readonly incidents: readonly IncidentSeen[];
  readonly faults: Readonly<Record<string, number>>;
  readonly daemons: number;
  readonly waits: {
    readonly all?: Waits;
    readonly calm?: Waits;
    readonly incidents?: Waits;
    readonly byScaleSet: Readonly<Record<string, Waits>>;
  };
  readonly machines: {
    readonly hours: number;
    /** Of those hours: with a job, connected and waiting for one, and neither: booting or going away. */
    readonly busyShare: number;
    readonly idleShare: number;
    readonly otherShare: number;
    readonly most: number;
    readonly made: number;
  };
  readonly calls: readonly CallCount[];
  readonly byHour: ByHour;
  readonly steps: number;
  /** What tells one course of things from another. */
  readonly course: string;
  readonly violations: readonly Violation[];
  readonly host?: {
    readonly node: string;
    readonly cpuSeconds: number;
    readonly memory: readonly MemorySeen[];
  };
}
