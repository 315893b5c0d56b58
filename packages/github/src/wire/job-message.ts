import type { JobCompleted, JobFacts, JobMessage, JobStarted, ScaleSetStatistics } from '@rungar/model';
import { parseBody } from './body.js';
import { asShape, instantOf, integerOf, listOf, member, type Shape, textOf, textsOf } from './read.js';
import { decodeStatistics } from './statistics.js';

const ENVELOPE_TYPE = 'RunnerScaleSetJobMessages';

/** What a poll brought. */
export type Polled =
  /** Nothing arrived while GitHub held the poll. */
  | { readonly kind: 'none' }
  /** An answer of success without a message in it. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'jobs'; readonly message: JobMessage }
  /** A message this version cannot read: to be acknowledged, or it comes back for ever. */
  | {
      readonly kind: 'strange';
      readonly id: number;
      readonly why: string;
      readonly statistics?: ScaleSetStatistics;
    };

function factsOf(shape: Shape): JobFacts {
  const queuedAt = instantOf(shape, 'queueTime');
  const assignedAt = instantOf(shape, 'scaleSetAssignTime');
  const takenAt = instantOf(shape, 'runnerAssignTime');
  const finishedAt = instantOf(shape, 'finishTime');
  return {
    jobId: textOf(shape, 'jobId'),
    runnerRequestId: integerOf(shape, 'runnerRequestId'),
    owner: textOf(shape, 'ownerName'),
    repository: textOf(shape, 'repositoryName'),
    workflowRef: textOf(shape, 'jobWorkflowRef'),
    displayName: textOf(shape, 'jobDisplayName'),
    workflowRunId: integerOf(shape, 'workflowRunId'),
    eventName: textOf(shape, 'eventName'),
    requestLabels: textsOf(shape, 'requestLabels'),
    ...(queuedAt !== undefined && { queuedAt }),
    ...(assignedAt !== undefined && { assignedAt }),
    ...(takenAt !== undefined && { takenAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

/** Sorts an envelope's jobs by kind. What is of no known kind is named once and left out. */
function sortJobs(jobs: readonly unknown[]): Omit<JobMessage, 'id' | 'statistics'> {
  const available: JobFacts[] = [];
  const assigned: JobFacts[] = [];
  const started: JobStarted[] = [];
  const completed: JobCompleted[] = [];
  const unknownKinds = new Set<string>();
  for (const job of jobs) {
    const shape = asShape(job) ?? {};
    const kind = textOf(shape, 'messageType');
    switch (kind) {
      case 'JobAvailable':
        available.push(factsOf(shape));
        break;
      case 'JobAssigned':
        assigned.push(factsOf(shape));
        break;
      case 'JobStarted':
        started.push({
          ...factsOf(shape),
          runnerId: integerOf(shape, 'runnerId'),
          runnerName: textOf(shape, 'runnerName'),
        });
        break;
      case 'JobCompleted':
        completed.push({
          ...factsOf(shape),
          result: textOf(shape, 'result'),
          runnerId: integerOf(shape, 'runnerId'),
          runnerName: textOf(shape, 'runnerName'),
        });
        break;
      default:
        unknownKinds.add(kind);
    }
  }
  return { available, assigned, started, completed, unknownKinds: [...unknownKinds] };
}

/**
 * Reads the body of a successful poll: an envelope, sorted by kind. Names are read whatever their case, and what is not
 * known is skipped and named.
 * @param body the JSON, parsed
 */
export function decodePolled(body: unknown): Polled {
  if (body === '' || body === null) return { kind: 'empty' };
  const shape = asShape(body);
  const id = shape ? integerOf(shape, 'messageId') : 0;
  if (!shape || id === 0) return { kind: 'empty' };
  const type = textOf(shape, 'messageType');
  if (type !== ENVELOPE_TYPE) return { kind: 'strange', id, why: `it is of the type "${type}"` };
  const statistics = decodeStatistics(member(shape, 'statistics'));
  const jobs = parseBody(textOf(shape, 'body'));
  if (jobs !== '' && jobs !== null && !Array.isArray(jobs)) {
    return { kind: 'strange', id, why: 'its body is not a list of jobs', ...(statistics && { statistics }) };
  }
  return {
    kind: 'jobs',
    message: { id, ...(statistics && { statistics }), ...sortJobs(Array.isArray(jobs) ? jobs : []) },
  };
}

/** The request ids of an envelope of acquirable jobs. */
export function decodeAcquirable(body: unknown): readonly number[] {
  return listOf(asShape(body) ?? {}, 'value').flatMap((job) => {
    const id = integerOf(asShape(job) ?? {}, 'runnerRequestId');
    return id === 0 ? [] : [id];
  });
}

/** How many jobs an acquisition really got. */
export function decodeAcquired(body: unknown): number {
  return listOf(asShape(body) ?? {}, 'value').length;
}
