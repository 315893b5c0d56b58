import type { JobFacts, RungarEvent, RunnerState } from '@rungar/model';

/** What an operator has paused or disabled. */
export interface ByHandFacts {
  /** Why. */
  readonly reason?: string;
  /** When it ends by itself. */
  readonly until?: number;
}

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
  /** Of a pause by hand. */
  readonly pause?: ByHandFacts;
  /** Whether its session is the one that the others depend on, one of those, or held by nobody here. */
  readonly role: 'lead' | 'follower' | 'standby';
  /** How long machines of it have stood since the daemon started. */
  readonly machineHours: number;
  /** Versions of the runner program that its runners have. */
  readonly versions: readonly { readonly version: string; readonly endsAt?: number; readonly refused: boolean }[];
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
  /** Of a disabling by hand. */
  readonly disabling?: ByHandFacts;
  /** How long machines have stood there since the daemon started. */
  readonly machineHours: number;
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

/** How the daemon stands with GitHub. Instants are epoch milliseconds of the wall clock; absent while not known. */
export interface GitHubFacts {
  readonly rateLimit?: { readonly limit: number; readonly remaining: number; readonly resetsAt: number };
  /** When the App's present token ends, which is renewed before. */
  readonly tokenEndsAt?: number;
  /** When the personal access token itself ends, which nobody renews. */
  readonly credentialEndsAt?: number;
}

/** How a fleet stands now. */
export interface PageStatus {
  readonly github: GitHubFacts;
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
