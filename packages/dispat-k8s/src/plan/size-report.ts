/** What binds the time of a run on the recommended pool, and so why more workers stop helping. */
export type Bind = 'chain' | 'publishes' | 'budget' | 'width' | 'work';

/** One pool size and what it buys. Times are in the report's unit. */
export interface SizeRow {
  readonly n: number;
  readonly time: number;
  /** No run on this many workers is shorter: the report's lower bound, or the work divided by the slots. */
  readonly lowerBound: number;
  /** The time of one worker divided by this one. */
  readonly speedUp: number;
  /** What it saves against the size before; negative where the time rises. */
  readonly saved: number;
  /** The share of its slots' time that the pool works, from 0 to 1. */
  readonly utilisation: number;
  /** What is paid for: every worker for the run, its start and its idle time, in minutes. Nothing without durations. */
  readonly workerMinutes: number | null;
  /** The longest time any worker waits for its next task. */
  readonly longestGap: number;
  /** Whether the lower bound is reached. */
  readonly bound: boolean;
  readonly knee: boolean;
  /** Whether it takes longer than a smaller pool, as list scheduling can. */
  readonly rise: boolean;
}

/** The same for one platform: its builds alone. */
export interface PlatformSize {
  readonly platform: string;
  readonly width: number;
  readonly widest: readonly string[];
  /** How many workers of it are worth having when the others do not lack any. */
  readonly recommended: number;
}

/** What `size` says of a plan. */
export interface SizeReport {
  /** Without durations every build is one step, and times are no minutes. */
  readonly unit: 'seconds' | 'steps';
  readonly packages: number;
  readonly releasing: number;
  /** The most builds of equal depth. */
  readonly levelWidth: number;
  /** The most tasks that can ever be ready at once, and one set of that many, in plan order. */
  readonly width: number;
  readonly widest: readonly string[];
  /** The most builds that run at once when no slot is missing, with these durations. */
  readonly peak: number;
  readonly buildBudget: number | null;
  /** Slots beyond this are never used: the smaller one of width and budget. */
  readonly usefulSlots: number;
  readonly concurrency: number;
  /** Slots of the orchestrator that builds fall over to. */
  readonly localSlots: number;
  /** No run is shorter than this. */
  readonly lowerBound: number;
  readonly longestChain: readonly string[];
  readonly publishChains: readonly { readonly repository: string; readonly atLeast: number; readonly total: number }[];
  readonly bind: Bind;
  /** How many workers to have; 0 when no task may run on one. */
  readonly recommended: number;
  /** The smallest size within the target of the best time. */
  readonly knee: number;
  readonly targetGain: number;
  readonly platforms: readonly PlatformSize[];
  /** What was taken for granted because nothing says it. */
  readonly assumptions: readonly string[];
  /** What a reader should know of the result. */
  readonly notes: readonly string[];
  readonly rows: readonly SizeRow[];
  /** The recommendation in one sentence. */
  readonly summary: string;
}
