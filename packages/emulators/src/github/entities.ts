import type { Cancel } from '../clock.js';
import type { JobResult } from '../machine/runner-client.js';
import type { Bell } from './hold.js';
import type { MessageQueue } from './message-queue.js';

/** An organisation, a repository or an enterprise, with the tenant of the Actions service that serves it. */
export interface Scope {
  readonly kind: 'organisation' | 'repository' | 'enterprise';
  /** `acme`, `acme/web` or `enterprises/acme`, as it was written first. */
  readonly path: string;
  readonly tenantId: string;
  readonly groups: readonly RunnerGroup[];
}

export interface RunnerGroup {
  readonly id: number;
  readonly name: string;
}

export interface ScaleSet {
  readonly id: number;
  readonly scope: Scope;
  name: string;
  group: RunnerGroup;
  readonly labels: readonly ScaleSetLabel[];
  disableUpdate: boolean;
  readonly createdAt: number;
  readonly queue: MessageQueue;
  session: Session | undefined;
  /** When it was created, or its last session ended. */
  unusedSince: number;
  /** Jobs offered and not acquired, assigned and waiting for a runner, and running. A job is in one of them. */
  readonly offered: Set<Job>;
  readonly assigned: Set<Job>;
  readonly running: Set<Job>;
  readonly runners: Set<Runner>;
}

export interface ScaleSetLabel {
  readonly type: string;
  readonly name: string;
}

export interface Session {
  readonly id: string;
  readonly scaleSet: ScaleSet;
  readonly ownerName: string;
  /** What its queue's URL carries; another after each refresh. */
  queueKey: string;
  queueToken: string;
  queueTokenExpiresAt: number;
  /** The most runners its listener could provide, by its last poll. */
  capacity: number | undefined;
  /** How many polls are held. */
  held: number;
  stopExpiry: Cancel;
  /** Whether it is over. */
  ended: boolean;
  /** A session that belongs to nobody here and does not expire. */
  readonly foreign: boolean;
  readonly openedAt: number;
}

export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly scaleSet: ScaleSet;
  readonly secret: string;
  readonly registeredAt: number;
  readonly bell: Bell;
  connectedAt: number | undefined;
  /** Of its program; unknown until it connects. */
  version: string | undefined;
  online: boolean;
  /** The job it has, from the moment it is given to it. */
  job: Job | undefined;
  /** Whether a call for work is held, so that a job can be given to it. */
  waiting: boolean;
  /** How many of its calls are held. */
  held: number;
  stopTimer: Cancel;
  gone: boolean;
}

/** How far a job has come. */
export type JobState = 'queued' | 'available' | 'assigned' | 'running' | 'completed';

export interface Job {
  readonly id: string;
  readonly order: number;
  readonly runId: number;
  readonly name: string;
  readonly repository: string;
  readonly workflow: string;
  readonly labels: readonly string[];
  readonly seconds: number;
  readonly fail: boolean;
  readonly queuedAt: number;
  state: JobState;
  /** 0 where jobs are assigned at once. */
  requestId: number;
  scaleSet: ScaleSet | undefined;
  runner: Runner | undefined;
  /** Whether its cancellation was asked for while it ran. */
  cancelAsked: boolean;
  /** How often it was queued again after an assignment that nobody took. */
  requeued: number;
  offeredAt: number | undefined;
  assignedAt: number | undefined;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  result: JobResult | undefined;
  stopTimer: Cancel;
}
