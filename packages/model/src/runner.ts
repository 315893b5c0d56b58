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
  /** Epoch milliseconds by GitHub's clock. */
  readonly startedAt: number;
}

/** Why a runner was removed. */
export const REMOVAL_REASONS = [
  'job_completed',
  'scaled_down',
  'never_connected',
  'unregistered',
  'disconnected',
  'stuck',
  'outdated',
  'expired',
  'requested',
  'orphaned',
] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

/** Why a runner was lost. */
export const LOSS_REASONS = ['ended', 'unreachable'] as const;
export type LossReason = (typeof LOSS_REASONS)[number];
