import type {
  JobCompleted,
  JobMessage,
  JobMessageHandler,
  JobStarted,
  RunnerJob,
  ScaleSetStatistics,
} from '@rungar/model';
import type { JobWaits } from '../events.js';
import { noteJobStarted } from './carry-out.js';
import { decideAfresh } from './decision.js';
import { GITHUB_LIMIT_MS } from './registration.js';
import { removeRunner } from './remove-runner.js';
import { noteJob } from './runners.js';
import type { ScaleSet } from './scale-set.js';
import { withLimit } from './time-limit.js';

const RESULTS: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'abandoned']);

/** What a scale set does with GitHub's messages: it notes them and decides, and never keeps the next poll waiting. */
export function jobMessageHandler(set: ScaleSet): JobMessageHandler {
  return {
    onStatistics: (statistics, message) => onStatistics(set, statistics, message),
    onJobStarted(job) {
      set.proven = true;
      onJobStarted(set, job);
    },
    onJobCompleted(job) {
      set.proven = true;
      onJobCompleted(set, job);
    },
  };
}

function onStatistics(set: ScaleSet, statistics: ScaleSetStatistics, message: JobMessage | undefined): void {
  const { clock, metrics } = set.deps;
  metrics.set('rungar_scale_set_last_poll_timestamp_seconds', { scale_set: set.name }, clock.wallNow() / 1000);
  set.proven = true;
  set.statistics = statistics;
  set.doubted = statistics.assignedJobs === 0 && (message?.assigned.length ?? 0) > 0;
  if (set.doubted) set.track(askAgain(set, set.epoch));
  else noteAssigned(set, statistics.assignedJobs);
  noteWaitingJobs(set, message);
  for (const kind of message?.unknownKinds ?? [])
    set.listenerLog.warn('Message of an unknown kind skipped', { reason: kind });
  decideAfresh(set);
}

/** How many jobs without a runner are remembered by name; how many there are, GitHub's numbers tell. */
const WAITING_JOBS_MOST = 1_000;

function noteWaitingJobs({ waitingJobs, statistics, doubted }: ScaleSet, message: JobMessage | undefined): void {
  if (statistics?.assignedJobs === 0 && !doubted) waitingJobs.clear();
  if (!message) return;
  for (const job of message.assigned) if (waitingJobs.size < WAITING_JOBS_MOST) waitingJobs.set(job.jobId, job);
  for (const { jobId } of [...message.started, ...message.completed]) waitingJobs.delete(jobId);
}

function noteAssigned(set: ScaleSet, assignedJobs: number): void {
  set.assigned = assignedJobs;
  set.deps.metrics.set('rungar_jobs_assigned', { scale_set: set.name }, assignedJobs);
}

/** The numbers say no job while the message assigns one: the scale set itself is asked before anybody is given back. */
async function askAgain(set: ScaleSet, epoch: number): Promise<void> {
  const { clock, github } = set.deps;
  const { name, runnerGroup } = set.policy;
  const found = await withLimit(clock, GITHUB_LIMIT_MS, `look-up of scale set ${name}`, undefined, (signal) =>
    github.findScaleSet(name, runnerGroup, { signal }),
  ).catch((error: unknown) => void set.log.debug('GitHub did not give its numbers', { error }));
  if (!found?.statistics || !set.isCurrent(epoch) || !set.doubted) return;
  set.doubted = false;
  noteAssigned(set, found.statistics.assignedJobs);
  decideAfresh(set);
}

function onJobStarted(set: ScaleSet, started: JobStarted): void {
  const { metrics, fleet, clock } = set.deps;
  metrics.add('rungar_jobs_started_total', { scale_set: set.name });
  const waits = waitsOf(started);
  if (waits) {
    metrics.observe('rungar_job_wait_seconds', { scale_set: set.name }, waits.waitMs / 1000);
    metrics.observe('rungar_job_runner_wait_seconds', { scale_set: set.name }, waits.runnerWaitMs / 1000);
  }
  set.waitingJobs.delete(started.jobId);
  const { runnerName } = started;
  const left = set.book.leaving.get(runnerName)?.runner;
  const runner = set.book.runners.get(runnerName);
  const creation = set.creations.get(runnerName);
  const provider = (runner ?? left)?.place.provider ?? creation?.claim.provider;
  const connectedAt = runner && runner.state !== 'starting' ? runner.connectedAt : clock.now();
  if (provider !== undefined) fleet.isWell(provider, set.name, connectedAt);
  const job = jobOf(started, clock.wallNow());
  if (runner) noteJobStarted(set, runner, { job, waits });
  else if (creation) creation.started = { job, waits };
  else if (left) noteJob(left, job);
  else set.log.warn('Job started on a runner that is not known', { runner: runnerName, job_id: started.jobId });
}

function onJobCompleted(set: ScaleSet, { result, runnerName, jobId, finishedAt }: JobCompleted): void {
  set.waitingJobs.delete(jobId);
  const word = RESULTS.has(result) ? result : 'other';
  set.deps.metrics.add('rungar_jobs_completed_total', { scale_set: set.name, result: word });
  if (runnerName === '' || !set.serving) return;
  const creation = set.creations.get(runnerName);
  if (creation) creation.completed = true;
  const runner = set.book.runners.get(runnerName) ?? set.book.leaving.get(runnerName)?.runner;
  if (runner?.job) noteJob(runner, { ...runner.job, result, ...(finishedAt !== undefined && { finishedAt }) });
  set.log.info('Job completed', { runner: runnerName, job_id: jobId, result: word });
  set.track(removeRunner(set, runnerName, { reason: 'job_completed', proof: ['job_message'] }));
}

function jobOf(started: JobStarted, wallNow: number): RunnerJob {
  const { owner, repository, queuedAt, assignedAt } = started;
  return {
    id: started.jobId,
    repository: owner !== '' && repository !== '' ? `${owner}/${repository}` : repository,
    workflowRef: started.workflowRef,
    displayName: started.displayName,
    workflowRunId: started.workflowRunId,
    startedAt: started.takenAt ?? wallNow,
    ...(queuedAt !== undefined && { queuedAt }),
    ...(assignedAt !== undefined && { assignedAt }),
  };
}

function waitsOf({ queuedAt, assignedAt, takenAt }: JobStarted): JobWaits | undefined {
  if (queuedAt === undefined || assignedAt === undefined || takenAt === undefined) return undefined;
  return { waitMs: Math.max(0, takenAt - queuedAt), runnerWaitMs: Math.max(0, takenAt - assignedAt) };
}
