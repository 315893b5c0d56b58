import {
  type EventAction,
  formatDurationMs,
  type LossReason,
  messageOf,
  type RemovalReason,
  type RungarEvent,
  type RunnerJob,
  roundedDuration,
} from '@rungar/model';
import type { Proof } from './decide/proof.js';

/** An event without the time and the kind, which whoever records it adds. */
export type EventDraft = Omit<RungarEvent, 'time' | 'kind'>;

interface RunnerAt {
  readonly runner: string;
  readonly scaleSet: string;
  readonly provider: string;
}

export function createdEvent(at: RunnerAt, size: string, createMs: number): EventDraft {
  const big = size === '' ? '' : ` (${size})`;
  return draft('created', at, `Created on ${at.provider}${big} in ${roundedDuration(createMs)}`, {
    create_duration: formatDurationMs(createMs),
  });
}

export function adoptedEvent(at: RunnerAt, found: 'at_start' | 'in_pass'): EventDraft {
  const how = found === 'at_start' ? 'left by an earlier daemon' : 'which this daemon did not know';
  return draft('adopted', at, `Adopted from ${at.provider}, ${how}`);
}

/** @param version of its runner program, where GitHub has told it already */
export function connectedEvent(at: RunnerAt, bootMs: number, version?: string): EventDraft {
  return draft('connected', at, `Connected ${roundedDuration(bootMs)} after its machine was created`, {
    boot_duration: formatDurationMs(bootMs),
    ...(version !== undefined && { version }),
  });
}

export interface JobWaits {
  readonly waitMs: number;
  readonly runnerWaitMs: number;
}

export function jobStartedEvent(at: RunnerAt, job: RunnerJob, waits: JobWaits | undefined): EventDraft {
  const waited = waits ? `, which had waited ${roundedDuration(waits.waitMs)}` : '';
  return draft('job_started', at, `Took job ${job.displayName || job.id} of ${job.repository}${waited}`, {
    job_id: job.id,
    ...(job.displayName !== '' && { job_name: job.displayName }),
    repository: job.repository,
    ...(job.workflowRunId !== 0 && { workflow_run_id: String(job.workflowRunId) }),
    ...(waits && { wait: formatDurationMs(waits.waitMs), runner_wait: formatDurationMs(waits.runnerWaitMs) }),
    ...(job.queuedAt !== undefined && { queued: instant(job.queuedAt) }),
    ...(job.assignedAt !== undefined && { assigned: instant(job.assignedAt) }),
    ...(job.queuedAt !== undefined && { started: instant(job.startedAt) }),
  });
}

const REMOVAL_WORDS: Readonly<Record<RemovalReason, string>> = {
  job_completed: 'after its job',
  scaled_down: 'as it is not needed',
  never_connected: 'as it never connected to GitHub',
  unregistered: 'as GitHub no longer knows it',
  disconnected: 'as it has been offline for too long',
  stuck: 'as it went offline with a job and did not come back',
  outdated: 'as its configuration is no longer the current one',
  expired: 'as it has reached its age limit',
  requested: 'on request',
  orphaned: 'as nothing stands behind it',
};

/** What a machine and its backend said that tells why a runner came to nothing. */
export interface Diagnosis {
  /** Why the machine ended, in its backend's words. */
  readonly detail?: string;
  /** The last lines of its console. */
  readonly console?: string;
}

/**
 * @param at.provider empty for a registration that had no machine
 * @param job the job it had, if it had one
 */
export function removedEvent(
  at: RunnerAt,
  reason: RemovalReason,
  proof: Proof,
  diagnosis: Diagnosis = {},
  job?: RunnerJob,
): EventDraft {
  const what = at.provider === '' ? 'Registration removed' : `Removed from ${at.provider}`;
  const message = `${what} ${REMOVAL_WORDS[reason]}${becauseOf(diagnosis)}`;
  return draft('removed', at, message, { reason, ...proofOf(proof), ...diagnosis, ...jobEndOf(reason, job) });
}

/** What is known of the end of the job that a runner goes after. */
function jobEndOf(reason: RemovalReason, job: RunnerJob | undefined): Record<string, string> {
  if (reason !== 'job_completed' || !job) return {};
  const { id, result, finishedAt } = job;
  return {
    job_id: id,
    ...(result !== undefined && { result }),
    ...(finishedAt !== undefined && { finished: instant(finishedAt) }),
  };
}

/** An instant of GitHub's, as text. */
const instant = (ms: number): string => new Date(ms).toISOString();

export function lostEvent(at: RunnerAt, reason: LossReason, proof: Proof, diagnosis: Diagnosis = {}): EventDraft {
  const message =
    reason === 'ended'
      ? `Lost: its machine on ${at.provider} ended`
      : `Lost: ${at.provider} has not answered for too long`;
  return draft('lost', at, `${message}${becauseOf(diagnosis)}`, { reason, ...proofOf(proof), ...diagnosis });
}

const becauseOf = ({ detail }: Diagnosis): string => (detail === undefined ? '' : `: ${messageOf(detail)}`);

export interface RefusalFacts {
  readonly provider: string;
  readonly scaleSet: string;
  readonly runner: string;
  readonly error: string;
  readonly skippedForMs: number;
  readonly refusals: number;
  readonly full: boolean;
}

export function refusalEvent({
  provider,
  scaleSet,
  runner,
  error,
  skippedForMs,
  refusals,
  full,
}: RefusalFacts): EventDraft {
  const row = refusals > 1 ? `, ${refusals} refusals in a row` : '';
  return {
    name: provider,
    action: full ? 'full' : 'failing',
    scaleSet,
    provider,
    message: `${full ? 'Full' : 'Failing'}: ${error}; ${scaleSet} moves on and tries it again in ${roundedDuration(skippedForMs)}${row}`,
    attributes: {
      runner,
      skipped_for: formatDurationMs(skippedForMs),
      error,
      ...(!full && { refusals: String(refusals) }),
    },
  };
}

/** Runners of a provider come to nothing one after another: its scale set creates one at a time there, ever more slowly. */
export function slowedEvent({
  provider,
  scaleSet,
  runner,
  error,
  skippedForMs,
  refusals,
}: Omit<RefusalFacts, 'full'>): EventDraft {
  const message = `Failing: ${error}; ${scaleSet} tries it again in ${roundedDuration(skippedForMs)}`;
  const attributes = { runner, skipped_for: formatDurationMs(skippedForMs), error, refusals: String(refusals) };
  return { name: provider, action: 'failing', scaleSet, provider, message, attributes };
}

export function deleteFailingEvent(at: RunnerAt, error: string, attempts: number): EventDraft {
  return providerEvent('delete_failing', at, `The machine of ${at.runner} cannot be deleted: ${error}`, {
    error,
    attempts,
  });
}

export function deleteRecoveredEvent(at: RunnerAt, attempts: number): EventDraft {
  return providerEvent('delete_recovered', at, `The machine of ${at.runner} is deleted after ${attempts} attempts`, {
    attempts,
  });
}

export function pausedEvent(scaleSet: string, paused: boolean): EventDraft {
  return paused
    ? scaleSetEvent('paused', scaleSet, 'Paused: takes no more jobs, and idle runners go')
    : scaleSetEvent('resumed', scaleSet, 'Resumed');
}

export function minRunnersChangedEvent(
  scaleSet: string,
  from: number,
  to: number,
  window: string | undefined,
): EventDraft {
  const why = window === undefined ? 'outside every window' : `in the window ${window}`;
  return scaleSetEvent('min_runners_changed', scaleSet, `min_runners goes from ${from} to ${to}, ${why}`, {
    from: String(from),
    to: String(to),
    ...(window !== undefined && { window }),
  });
}

export function failedEvent(scaleSet: string, error: string, retryInMs: number): EventDraft {
  return scaleSetEvent('failed', scaleSet, `Failed: ${error}; tried again in ${roundedDuration(retryInMs)}`, { error });
}

export function recoveredEvent(scaleSet: string): EventDraft {
  return scaleSetEvent('recovered', scaleSet, 'Recovered');
}

export function splitEvent(scaleSet: string, lead: string): EventDraft {
  const message = `Another daemon serves ${scaleSet} while this one serves ${lead}: their configurations list the scale sets in another order`;
  return scaleSetEvent('split', scaleSet, message, { lead });
}

function draft(action: EventAction, at: RunnerAt, message: string, attributes?: Record<string, string>): EventDraft {
  return {
    name: at.runner,
    action,
    scaleSet: at.scaleSet,
    ...(at.provider !== '' && { provider: at.provider }),
    message,
    ...(attributes && { attributes }),
  };
}

function providerEvent(
  action: EventAction,
  { runner, scaleSet, provider }: RunnerAt,
  message: string,
  facts: { error?: string; attempts: number },
): EventDraft {
  const attributes = {
    runner,
    ...(facts.error !== undefined && { error: facts.error }),
    attempts: String(facts.attempts),
  };
  return { name: provider, action, scaleSet, provider, message, attributes };
}

function scaleSetEvent(
  action: EventAction,
  name: string,
  message: string,
  attributes?: Record<string, string>,
): EventDraft {
  return { name, action, scaleSet: name, message, ...(attributes && { attributes }) };
}

const proofOf = (proof: Proof): { proof?: string } => (proof.length > 0 ? { proof: proof.join(',') } : {});
