import type { JobFacts } from '@rungar/model';
import { JOB_STEPS, type JobRow, type JobStep, type JobStepName } from './view.js';

/** A job that a runner has taken, as events told of it. Instants are epoch milliseconds. */
export interface StartedJob {
  readonly id: string;
  readonly name: string;
  readonly repository: string;
  readonly scaleSet: string;
  readonly provider?: string;
  readonly runner: string;
  readonly at: Readonly<Partial<Record<JobStepName, number>>>;
  readonly result?: string;
}

export function startedRow({ at, result, ...job }: StartedJob): JobRow {
  const { queued, machine } = at;
  return {
    ...job,
    state: at.finished === undefined ? 'running' : 'done',
    ...(result !== undefined && { result }),
    steps: stepsOf(at),
    fromReserve: queued !== undefined && machine !== undefined && machine < queued,
  };
}

export function waitingRow(job: JobFacts, scaleSet: string): JobRow {
  const { jobId, displayName, queuedAt: queued, assignedAt: assigned } = job;
  return {
    id: jobId,
    name: displayName || jobId,
    repository: `${job.owner}/${job.repository}`,
    scaleSet,
    state: 'waiting',
    steps: stepsOf({ ...(queued !== undefined && { queued }), ...(assigned !== undefined && { assigned }) }),
    fromReserve: false,
  };
}

/**
 * The steps in their order. What had happened to the machine before the job was queued is no part of its way; and
 * where the clocks of GitHub and of this host disagree a little, no step is shown before the one it follows.
 */
function stepsOf(at: StartedJob['at']): JobStep[] {
  const { queued = Number.NEGATIVE_INFINITY } = at;
  const steps: JobStep[] = [];
  for (const step of JOB_STEPS) {
    const instant = at[step];
    if (instant === undefined || ((step === 'machine' || step === 'connected') && instant < queued)) continue;
    steps.push({ step, at: Math.max(instant, steps.at(-1)?.at ?? instant) });
  }
  return steps;
}
