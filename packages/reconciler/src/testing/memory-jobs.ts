import type { JobFacts, ScaleSetRecord } from '@rungar/model';
import type { MemorySession } from './memory-session.js';

/** A job of a GitHub in memory. */
export interface MemoryJob {
  readonly id: string;
  readonly scaleSet: string;
  /** How long it runs; it never ends by itself if there is none. */
  readonly durationMs: number | undefined;
  /** Epoch milliseconds. */
  readonly queuedAt: number;
  /** Who took it. */
  runner: string | undefined;
  /** How it ended; there is none while it waits or runs. */
  result: string | undefined;
}

export interface MemoryRunner {
  readonly id: number;
  readonly name: string;
  readonly scaleSet: string;
  readonly jitConfig: string;
  online: boolean;
  job: MemoryJob | undefined;
  onDone: () => void;
}

export interface MemoryScaleSet {
  record: ScaleSetRecord;
  session: MemorySession | undefined;
}

/** A runner with a job counts as busy only while it is online. */
export function statusOf({ online, job }: MemoryRunner): 'busy' | 'idle' | 'offline' {
  if (!online) return 'offline';
  return job ? 'busy' : 'idle';
}

export function factsOf(job: MemoryJob): JobFacts {
  return {
    jobId: job.id,
    runnerRequestId: 0,
    owner: 'acme',
    repository: 'app',
    workflowRef: 'acme/app/.github/workflows/ci.yml@refs/heads/main',
    displayName: job.id,
    workflowRunId: 1,
    eventName: 'push',
    requestLabels: [job.scaleSet],
    queuedAt: job.queuedAt,
    assignedAt: job.queuedAt,
  };
}
