import type { JobFacts, RungarEvent, RunnerState } from '@rungar/model';

/** What the page shows of a scale set. Instants are epoch milliseconds of the wall clock. */
export interface ScaleSetFacts {
  readonly name: string;
  /** Those its runners may be created on. */
  readonly providers: readonly string[];
  readonly minRunners: number;
  readonly maxRunners: number;
  /** In one word: `listening`, `failed`. */
  readonly phase: string;
  readonly phaseReason?: string;
  readonly phaseSince: number;
  readonly retryAt?: number;
  readonly paused: boolean;
  readonly desired?: number;
  /** Runners by state; absent until it serves. */
  readonly counts?: Readonly<Record<RunnerState, number>>;
  readonly countsByProvider?: Readonly<Record<string, Readonly<Record<RunnerState, number>>>>;
  /** Runners being created now. */
  readonly creating: number;
  /** Runners under suspicion. */
  readonly suspects: number;
  readonly assignedJobs?: number;
  /** Jobs that no runner has taken yet. */
  readonly waitingJobs: readonly JobFacts[];
  /** Why it leaves a provider to another scale set; empty where it does not. */
  readonly holdingBackReason: string;
}

/** What the page shows of a provider. */
export interface ProviderFacts {
  readonly name: string;
  readonly type: string;
  readonly endpoint: string;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly runnerCount: number;
  readonly disabled: boolean;
  readonly sameBackendAs?: string;
  readonly reachable: boolean;
  /** Why it cannot be reached. */
  readonly error?: string;
  readonly hold?: { readonly scaleSet: string; readonly remainingMs: number };
  readonly scaleSets: readonly {
    readonly scaleSet: string;
    /** Absent while it is tried as usual. */
    readonly backoffForMs?: number;
    readonly refusals: number;
    readonly refusal: string;
    readonly full: boolean;
  }[];
  readonly slowed: readonly { readonly scaleSet: string; readonly why: string; readonly nextTryInMs: number }[];
  readonly undeletable: readonly { readonly runner: string; readonly attempts: number; readonly error: string }[];
}

/** How a fleet stands now. */
export interface PageStatus {
  /** In the order to show them in. */
  readonly scaleSets: readonly ScaleSetFacts[];
  readonly providers: readonly ProviderFacts[];
}

/** Where a page has its facts from. No text in them may hold a secret: the page shows them as they are. */
export interface PageSource {
  /** How the fleet stands, by what is known: asked every second while somebody looks, so nobody should be asked. */
  status(): PageStatus;
  /** The events that are kept, oldest first. */
  recentEvents(): readonly RungarEvent[];
  /**
   * The events that are kept and those that come, with no gap between the two. When `coming` throws, the page follows
   * anew; when it ends, or `signal` aborts, nothing more comes.
   */
  followEvents(signal: AbortSignal): {
    readonly history: readonly RungarEvent[];
    readonly coming: AsyncIterable<RungarEvent>;
  };
}
