import type { EventAction, EventKind, RunnerState } from '@rungar/model';
import type { GitHubFacts } from '../source.js';

/** How many runners are in each state. */
export type Counts = Readonly<Record<RunnerState, number>>;

/** A scale set with its runners on each provider. Instants are epoch milliseconds, here and below. */
export interface FleetRow {
  readonly scaleSet: string;
  readonly phase: string;
  readonly paused: boolean;
  /** When a pause by hand ends by itself. */
  readonly pausedUntil?: number;
  readonly role: 'lead' | 'follower' | 'standby';
  readonly machineHours: number;
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
/** One of `JOB_STEPS`. */
export type JobStepName = (typeof JOB_STEPS)[number];

/** A step of a job, and when it was reached, in epoch milliseconds. */
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

/** The jobs that wait and those that started lately. */
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

/** How long jobs waited for a runner in the last 24 hours. */
export interface WaitsView {
  /** The latest 24 hours, the one that runs now last. */
  readonly hours: readonly HourOfWaits[];
  readonly day: WaitFigures;
  /** The worst first, at most twenty. */
  readonly scaleSets: readonly ScaleSetWaits[];
  /** When the oldest event known happened, if that is within the 24 hours: nothing is known from before. */
  readonly knownSince?: number;
}

/** Something that keeps runners from being made or removed, in words for a reader. */
export interface Trouble {
  readonly kind: 'unreachable' | 'duplicate' | 'full' | 'failing' | 'slowed' | 'undeletable' | 'held' | 'disabled';
  readonly text: string;
  /** When it is tried again, or ends. */
  readonly until?: number;
}

/** A provider, as the page shows it. */
export interface ProviderRow {
  readonly name: string;
  readonly type: string;
  readonly endpoint: string;
  readonly health: 'well' | 'troubled' | 'unreachable' | 'disabled';
  readonly runners: number;
  readonly machineHours: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly troubles: readonly Trouble[];
}

/** An event, as the page shows it. */
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

/** How the daemon itself stands. */
export interface DaemonView extends GitHubFacts {
  /** Whether it serves: on standby another daemon does. */
  readonly role: 'active' | 'standby';
  /** Of all scale sets, since the daemon started. */
  readonly machineHours: number;
}

/** All that the page shows. */
export interface PageView {
  readonly daemon: DaemonView;
  readonly fleet: FleetView;
  readonly jobs: JobsView;
  readonly waits: WaitsView;
  /** In configured order. */
  readonly providers: readonly ProviderRow[];
  /** The latest, oldest first. */
  readonly events: readonly EventRow[];
}
