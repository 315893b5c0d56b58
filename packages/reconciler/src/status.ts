import type { GitHubStatus, JobFacts, MachineState, Placement, RunnerJob, RunnerState } from '@rungar/model';
import type { ReconcilerState } from './lifecycle.js';

/** Where a scale set is in its life. `failed`: found wrong, and tried again by itself. */
export type ScaleSetPhase =
  | 'starting'
  | 'waiting_for_session'
  | 'listening'
  | 'github_unreachable'
  | 'waiting_for_lead'
  | 'failed';

/** Runners by state. */
export type RunnerCounts = Readonly<Record<RunnerState, number>>;

/** A scale set as the daemon sees it. No call is made to tell. Instants are epoch milliseconds. */
export interface ScaleSetStatus {
  readonly name: string;
  readonly labels: readonly string[];
  readonly providers: readonly string[];
  readonly placement: Placement;
  readonly runnerSizes: readonly { readonly provider: string; readonly size: string }[];
  /** In force now. */
  readonly minRunners: number;
  readonly configuredMinRunners: number;
  readonly maxRunners: number;
  readonly priority: number;
  readonly runnerGroup: string;
  readonly phase: ScaleSetPhase;
  /** Why it is in this phase, where there is something to say. */
  readonly phaseReason?: string;
  readonly phaseSince: number;
  /** When a failed or waiting phase is tried again. */
  readonly retryAt?: number;
  /** Whether its session is the one that the others depend on, one of those, or held by nobody here. */
  readonly role: 'lead' | 'follower' | 'standby';
  /** When its session was opened; absent while none is held. */
  readonly sessionSince?: number;
  readonly paused: boolean;
  readonly configuredPaused: boolean;
  /** Absent before the first decision. */
  readonly desired?: number;
  /** Absent until it serves. */
  readonly counts?: RunnerCounts;
  /** The same by provider, of those that have any. */
  readonly countsByProvider?: Readonly<Record<string, RunnerCounts>>;
  /** How many of its runners have which version of the runner program, of those GitHub has told it of. */
  readonly runnerVersions: Readonly<Record<string, number>>;
  /** Runners being created now. */
  readonly creating: number;
  /** Runners whose machine or registration is under suspicion. */
  readonly suspects: number;
  readonly assignedJobs?: number;
  /** Jobs GitHub has assigned and no runner has taken, as far as its messages named them, first come first. */
  readonly waitingJobs: readonly JobFacts[];
  /** Which provider is left to whom, in a sentence; empty if none. */
  readonly holdingBackReason: string;
  /** Runners that are to be replaced, and why they still wait. */
  readonly waiting: readonly { readonly runner: string; readonly why: string }[];
  readonly schedule?: {
    readonly timeZone: string;
    readonly windows: readonly {
      /** `mon-fri,sun` */
      readonly days: string;
      /** `HH:MM` */
      readonly from: string;
      readonly to: string;
      readonly minRunners: number;
      readonly inForce: boolean;
    }[];
  };
}

/** A provider, as it is now. */
export interface ProviderStatus {
  readonly name: string;
  readonly type: string;
  readonly endpoint: string;
  readonly weight: number;
  readonly maxRunners: number;
  readonly disabled: boolean;
  readonly configuredDisabled: boolean;
  /** Taken out of the configuration: it takes no more runners, and goes once it has none. */
  readonly retired?: true;
  /** The earlier provider that leads to the same backend: this one is not used, and its machines are that one's. */
  readonly sameBackendAs?: string;
  /** By the latest listing; true before any. */
  readonly reachable: boolean;
  readonly error?: string;
  /** Runners counted here, over all scale sets, those leaving included while their machine stands. */
  readonly runnerCount: number;
  readonly hold?: { readonly scaleSet: string; readonly priority: number; readonly remainingMs: number };
  readonly scaleSets: readonly {
    readonly scaleSet: string;
    /** Absent while it is tried as usual. */
    readonly backoffForMs?: number;
    readonly refusals: number;
    readonly refusal: string;
    readonly full: boolean;
  }[];
  /** Scale sets that create slowly here, as runner after runner came to nothing. */
  readonly slowed: readonly { readonly scaleSet: string; readonly why: string; readonly nextTryInMs: number }[];
  /** A deletion that keeps failing, worst first. */
  readonly undeletable: readonly { readonly runner: string; readonly attempts: number; readonly error: string }[];
}

/** A runner as found on the fleet, with what GitHub and the daemon know of it. */
export interface RunnerView {
  readonly name: string;
  readonly scaleSet: string;
  /** Empty for a registration without a machine. */
  readonly provider: string;
  /** The daemon's view; absent for a machine of no configured scale set. */
  readonly state?: RunnerState;
  readonly machineState?: MachineState;
  readonly githubStatus?: GitHubStatus;
  /** Of its runner program, where GitHub tells it. */
  readonly version?: string;
  readonly createdAt?: number;
  readonly size: string;
  readonly revision: string;
  readonly adopted: boolean;
  readonly job?: RunnerJob;
}

/** The runners there are, as far as everybody answered. */
export interface RunnersView {
  /** By scale set, then name. */
  readonly runners: readonly RunnerView[];
  /** Providers that could not be listed, and why. */
  readonly unreachable: Readonly<Record<string, string>>;
  /** Why GitHub could not be asked, if so. */
  readonly githubError?: string;
}

/** What the removal of a scale set that is not configured has done, or would do. */
export interface ScaleSetRemoval {
  /** The runners that are gone, as they were; by name. */
  readonly removed: readonly RunnerView[];
  /** Runners with a job, which stay: ask again once they have done it. */
  readonly busyLeft: number;
  /** The id it had at GitHub; absent while it stays there, or when GitHub had none. */
  readonly scaleSetId?: number;
}

/** How a reconciler and everything it serves stand. No call is made to tell. */
export interface ReconcilerStatus {
  readonly state: ReconcilerState;
  /** Epoch milliseconds of the wall clock. */
  readonly since: number;
  /** Why it has failed. */
  readonly error?: unknown;
  /** In configured order. */
  readonly scaleSets: readonly ScaleSetStatus[];
  /** In configured order. */
  readonly providers: readonly ProviderStatus[];
}
