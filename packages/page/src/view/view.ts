import type { EventAction, EventKind, RunnerState } from '@rungar/model';

export type Counts = Readonly<Record<RunnerState, number>>;

/** A scale set with its runners on each provider. Instants are epoch milliseconds, here and below. */
export interface FleetRow {
  readonly scaleSet: string;
  readonly phase: string;
  readonly paused: boolean;
  /** What there is to say beside the phase, in sentences. */
  readonly notes: readonly string[];
  /** When a phase that is no good is tried again. */
  readonly retryAt?: number;
  readonly minRunners: number;
  readonly maxRunners: number;
  readonly desired?: number;
  readonly creating: number;
  readonly suspects: number;
  readonly waitingJobs: number;
  /** All its runners; nothing before it serves. */
  readonly total?: Counts;
  /** One for each of {@link FleetView.providers}; nothing where it has no business. */
  readonly cells: readonly (Counts | null)[];
}

/** Scale sets by providers. */
export interface FleetView {
  /** The columns. */
  readonly providers: readonly string[];
  readonly rows: readonly FleetRow[];
  readonly total: Counts;
  readonly waitingJobs: number;
}

/** What a job passes on its way, in this order. */
export const JOB_STEPS = ['queued', 'assigned', 'machine', 'connected', 'started', 'finished'] as const;
export type JobStepName = (typeof JOB_STEPS)[number];

export interface JobStep {
  readonly step: JobStepName;
  /** Never before the step before. */
  readonly at: number;
}

/** A job's way. */
export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly repository: string;
  readonly scaleSet: string;
  readonly provider?: string;
  readonly runner?: string;
  readonly state: 'waiting' | 'running' | 'done';
  /** `succeeded`, `failed`, `canceled`, or what became of its runner. */
  readonly result?: string;
  /** Those that are known, in their order, from when it was queued on. */
  readonly steps: readonly JobStep[];
  /** Whether its runner was there, or on its way, before it was queued. */
  readonly fromReserve: boolean;
}

export interface JobsView {
  /** Waiting ones first, the longest wait first; then the others, the latest start first. */
  readonly rows: readonly JobRow[];
  /** How many are left out of {@link JobsView.rows} for want of room. */
  readonly moreWaiting: number;
  readonly moreStarted: number;
}

/** How long jobs waited from being queued to being started. Milliseconds. */
export interface WaitFigures {
  readonly jobs: number;
  /** Absent without jobs. */
  readonly p50?: number;
  readonly p95?: number;
}

export interface HourOfWaits extends WaitFigures {
  /** When the hour begins. */
  readonly from: number;
}

export interface ScaleSetWaits extends WaitFigures {
  readonly scaleSet: string;
}

export interface WaitsView {
  /** The latest 24 hours, the one that runs now last. */
  readonly hours: readonly HourOfWaits[];
  readonly day: WaitFigures;
  /** The worst first, at most twenty. */
  readonly scaleSets: readonly ScaleSetWaits[];
  /** When the oldest event known happened, if that is within the 24 hours: nothing is known from before. */
  readonly knownSince?: number;
}

export interface Trouble {
  readonly kind: 'unreachable' | 'duplicate' | 'full' | 'failing' | 'slowed' | 'undeletable' | 'held';
  readonly text: string;
  /** When it is tried again, or ends. */
  readonly until?: number;
}

export interface ProviderRow {
  readonly name: string;
  readonly type: string;
  readonly endpoint: string;
  readonly health: 'well' | 'troubled' | 'unreachable' | 'disabled';
  readonly runners: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly troubles: readonly Trouble[];
}

export interface EventRow {
  readonly time: number;
  readonly kind: EventKind;
  readonly action: EventAction;
  readonly name: string;
  readonly scaleSet?: string;
  readonly provider?: string;
  readonly message: string;
  /** Whether somebody may want to know. */
  readonly bad: boolean;
}

/** All that the page shows. */
export interface PageView {
  readonly fleet: FleetView;
  readonly jobs: JobsView;
  readonly waits: WaitsView;
  /** In configured order. */
  readonly providers: readonly ProviderRow[];
  /** The latest, oldest first. */
  readonly events: readonly EventRow[];
}
