import type { JobResult } from '../machine/runner-client.js';
import type { Job, JobState, Runner, ScaleSet, Session } from './entities.js';
import { type Statistics, statisticsOf } from './statistics.js';

/** A job with its timeline. Instants are epoch milliseconds, absent until they come. */
export interface JobView {
  readonly id: string;
  readonly runId: number;
  readonly name: string;
  readonly repository: string;
  readonly workflow: string;
  readonly labels: readonly string[];
  readonly seconds: number;
  readonly fail: boolean;
  readonly state: JobState;
  /** How often it was queued again because no runner took it. */
  readonly requeued: number;
  readonly queuedAt: number;
  readonly scaleSet?: string;
  readonly assignedAt?: number;
  readonly runnerName?: string;
  /** When its runner was registered, and when it connected. */
  readonly runnerRegisteredAt?: number;
  readonly runnerConnectedAt?: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly result?: JobResult;
}

/** A registration, as it is now. */
export interface RunnerView {
  readonly id: number;
  readonly name: string;
  readonly scaleSet: string;
  readonly status: 'online' | 'offline';
  readonly busy: boolean;
  /** Whether a call of it is held at this moment. */
  readonly calling: boolean;
  readonly registeredAt: number;
  readonly connectedAt?: number;
  /** The job it runs. */
  readonly jobId?: string;
}

/** A scale set, as it is now. */
export interface ScaleSetView {
  readonly id: number;
  /** The organisation, repository or enterprise it belongs to. */
  readonly scope: string;
  readonly name: string;
  readonly runnerGroup: string;
  readonly labels: readonly string[];
  readonly statistics: Statistics;
}

/** A session, as it is now. */
export interface SessionView {
  readonly id: string;
  readonly scaleSet: string;
  readonly ownerName: string;
  readonly openedAt: number;
  /** What the listener's last poll said it could provide. */
  readonly capacity?: number;
  /** Whether a poll is held at this moment. */
  readonly polling: boolean;
}

export function viewJob(job: Job): JobView {
  const { id, runId, name, repository, workflow, labels, seconds, fail, state, requeued, queuedAt } = job;
  return {
    ...{ id, runId, name, repository, workflow, labels, seconds, fail, state, requeued, queuedAt },
    ...(job.scaleSet && { scaleSet: job.scaleSet.name }),
    ...(job.assignedAt !== undefined && { assignedAt: job.assignedAt }),
    ...(job.runner && { runnerName: job.runner.name, runnerRegisteredAt: job.runner.registeredAt }),
    ...(job.runner?.connectedAt !== undefined && { runnerConnectedAt: job.runner.connectedAt }),
    ...(job.startedAt !== undefined && { startedAt: job.startedAt }),
    ...(job.finishedAt !== undefined && { finishedAt: job.finishedAt }),
    ...(job.result !== undefined && { result: job.result }),
  };
}

export function viewRunner(runner: Runner): RunnerView {
  return {
    id: runner.id,
    name: runner.name,
    scaleSet: runner.scaleSet.name,
    status: runner.online ? 'online' : 'offline',
    busy: runner.job !== undefined,
    calling: runner.held > 0,
    registeredAt: runner.registeredAt,
    ...(runner.connectedAt !== undefined && { connectedAt: runner.connectedAt }),
    ...(runner.job && { jobId: runner.job.id }),
  };
}

export function viewScaleSet(scaleSet: ScaleSet): ScaleSetView {
  return {
    id: scaleSet.id,
    scope: scaleSet.scope.path,
    name: scaleSet.name,
    runnerGroup: scaleSet.group.name,
    labels: scaleSet.labels.map(({ name }) => name),
    statistics: statisticsOf(scaleSet),
  };
}

export function viewSession(session: Session): SessionView {
  return {
    id: session.id,
    scaleSet: session.scaleSet.name,
    ownerName: session.ownerName,
    openedAt: session.openedAt,
    ...(session.capacity !== undefined && { capacity: session.capacity }),
    polling: session.held > 0,
  };
}
