import type { JobResult } from '../machine/runner-client.js';
import type { Job } from './entities.js';
import type { JobMessage } from './message-queue.js';

/** How the service writes an instant that is not known. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** An instant as the service writes it. */
export function timeText(at: number | undefined): string {
  return at === undefined ? NO_TIME : new Date(at).toISOString();
}

/** The end that a `JobCompleted` tells of. */
export interface JobEnd {
  readonly result: JobResult;
  readonly at: number;
}

/** The entry of a message's body that tells of a job as it is now. */
export function jobMessage(
  messageType: 'JobAvailable' | 'JobAssigned' | 'JobStarted' | 'JobCompleted',
  job: Job,
  end?: JobEnd,
): JobMessage {
  const [ownerName = '', repositoryName = ''] = job.repository.split('/');
  return {
    messageType,
    runnerRequestId: job.requestId,
    jobId: job.id,
    repositoryName,
    ownerName,
    jobWorkflowRef: workflowRef(job),
    jobDisplayName: job.name,
    workflowRunId: job.runId,
    eventName: 'push',
    requestLabels: job.labels,
    queueTime: timeText(job.queuedAt),
    scaleSetAssignTime: timeText(job.assignedAt),
    runnerAssignTime: timeText(job.startedAt),
    finishTime: timeText(end?.at),
    ...(messageType === 'JobAvailable' && { acquireJobUrl: acquireUrl(job) }),
    ...((messageType === 'JobStarted' || messageType === 'JobCompleted') && {
      runnerId: job.runner?.id ?? 0,
      runnerName: job.runner?.name ?? '',
    }),
    ...(end && { result: end.result }),
  };
}

/** A job as the list of acquirable jobs shows it. */
export function acquirableJob(job: Job): JobMessage {
  const {
    messageType,
    runnerRequestId,
    repositoryName,
    ownerName,
    jobWorkflowRef,
    eventName,
    requestLabels,
    acquireJobUrl,
  } = jobMessage('JobAvailable', job);
  return {
    ...{ messageType, runnerRequestId, repositoryName, ownerName, jobWorkflowRef, eventName, requestLabels },
    acquireJobUrl,
  };
}

function workflowRef({ repository, workflow }: Job): string {
  return `${repository}/.github/workflows/${workflow}.yml@refs/heads/main`;
}

function acquireUrl({ requestId }: Job): string {
  return `_apis/runtime/acquirejob/${requestId}`;
}
