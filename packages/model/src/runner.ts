/** A runner goes from `starting` over `idle` to `busy`, and never back from `busy`. */
export type RunnerState = 'starting' | 'idle' | 'busy';

/** What GitHub says of a runner's registration. No answer at all is the absence of a status, never one of these. */
export type GitHubStatus = 'busy' | 'idle' | 'offline' | 'not_registered';

/** The job a runner has taken, as the job-started message told it. */
export interface RunnerJob {
  readonly id: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly workflowRef: string;
  readonly displayName: string;
  readonly workflowRunId: number;
  /** Epoch milliseconds by GitHub's clock, like the other instants. */
  readonly startedAt: number;
  readonly queuedAt?: number;
  /** To the scale set. */
  readonly assignedAt?: number;
  readonly finishedAt?: number;
  /** `succeeded`, `failed`, `canceled`, or whatever else GitHub says, once it is over. */
  readonly result?: string;
}

/** Why a runner was removed. */
export const REMOVAL_REASONS = [
  /** Its job is done. */
  'job_completed',
  /** There are more runners than are wanted. */
  'scaled_down',
  /** It did not connect within `start_timeout`. */
  'never_connected',
  /** GitHub no longer knows it. */
  'unregistered',
  /** It has no job and has been offline for longer than `start_timeout`. */
  'disconnected',
  /** It has a job and has been offline for longer than `start_timeout`. */
  'stuck',
  /** Its revision is not the current one. */
  'outdated',
  /** It is older than `max_idle_age` or `max_age`. */
  'expired',
  /** Somebody asked for it. */
  'requested',
  /** A registration that no machine stands behind. */
  'orphaned',
] as const;
/** One of {@link REMOVAL_REASONS}. */
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

/** Why a runner was lost. */
export const LOSS_REASONS = [
  /** Its machine ended by itself, and its registration outlasted `start_timeout`. */
  'ended',
  /** Its provider has not answered for five minutes. */
  'unreachable',
] as const;
/** One of {@link LOSS_REASONS}. */
export type LossReason = (typeof LOSS_REASONS)[number];
