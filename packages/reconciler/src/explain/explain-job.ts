import type { JobFacts, RungarEvent } from '@rungar/model';
import type { ScaleSetStatus } from '../status.js';
import { sayScaleSet } from './say-present.js';
import type { ExplainFacts, JobSubject, Present, StoryEntry } from './story.js';
import { tellEvent } from './tell-event.js';

interface Told {
  readonly now: readonly string[];
  readonly entries: readonly StoryEntry[];
}

/** What became of a job, or of every job of a run; nothing where nothing here has heard of it. */
export function explainJob(subject: JobSubject, { events, present }: ExplainFacts): Told | undefined {
  const starts = events.filter((event) => event.action === 'job_started' && isOf(event, subject));
  const waiting = (present?.scaleSets ?? []).flatMap((status) =>
    status.waitingJobs.filter((job) => isJob(job, subject)).map((job) => ({ job, status })),
  );
  if (starts.length === 0 && waiting.length === 0) return explainUnknown(subject, present);
  const runners = new Set(starts.map(({ name }) => name));
  const about = events.filter(({ kind, name, attributes }) =>
    kind === 'runner' ? runners.has(name) : kind === 'provider' && runners.has(attributes?.runner ?? ''),
  );
  return {
    now: [
      ...waiting.flatMap(({ job, status }) => sayWaiting(job, status, present)),
      ...starts.flatMap((start) => sayStarted(start, events)),
    ],
    entries: [...about.flatMap(tellEvent), ...waiting.flatMap(({ job, status }) => tellWaiting(job, status.name))],
  };
}

function isOf({ attributes = {} }: RungarEvent, { id, run }: JobSubject): boolean {
  if (id !== undefined && attributes.job_id === id) return true;
  return run !== undefined && attributes.workflow_run_id === String(run.id) && attributes.repository === run.repository;
}

function isJob(job: JobFacts, { id, run }: JobSubject): boolean {
  if (id !== undefined && job.jobId === id) return true;
  return run !== undefined && job.workflowRunId === run.id && `${job.owner}/${job.repository}` === run.repository;
}

function sayStarted({ name, time, attributes }: RungarEvent, events: readonly RungarEvent[]): readonly string[] {
  const job = attributes?.job_id ?? 'it';
  const end = events.find((event) => event.name === name && event.time >= time && ENDS.has(event.action));
  if (!end) return [`job ${job} runs on ${name}`];
  const { result } = end.attributes ?? {};
  return [
    end.action === 'removed'
      ? `job ${job} is over${result === undefined ? '' : ` (${result})`}; it ran on ${name}`
      : `job ${job} ran on ${name}, which was lost`,
  ];
}

const ENDS: ReadonlySet<string> = new Set(['removed', 'lost']);

function sayWaiting(job: JobFacts, status: ScaleSetStatus, present: Present | undefined): readonly string[] {
  return [
    `${job.displayName || job.jobId} waits for a runner of ${status.name}`,
    ...sayScaleSet(status, present?.plans.get(status.name)),
  ];
}

function tellWaiting(job: JobFacts, scaleSet: string): readonly StoryEntry[] {
  const name = `job ${job.jobId} (${job.displayName}) of ${job.owner}/${job.repository}`;
  const facts = { job_id: job.jobId, labels: job.requestLabels.join(',') };
  return [
    ...(job.queuedAt === undefined
      ? []
      : [{ time: job.queuedAt, by: 'github' as const, about: scaleSet, text: `queued ${name}`, facts }]),
    ...(job.assignedAt === undefined
      ? []
      : [
          {
            time: job.assignedAt,
            by: 'github' as const,
            about: scaleSet,
            text: `assigned ${name} to scale set ${scaleSet}`,
            facts,
          },
        ]),
  ];
}

/** Nobody here has heard of it: its labels, where they are known, tell why. */
function explainUnknown({ labels = [] }: JobSubject, present: Present | undefined): Told | undefined {
  if (!present || labels.length === 0) return undefined;
  const carriers = present.scaleSets.filter(({ labels: carried }) => {
    const known = new Set(carried.map((label) => label.toLowerCase()));
    return labels.every((label) => known.has(label.toLowerCase()));
  });
  if (carriers.length === 0) return { now: [whyNoCarrier(labels, present.scaleSets)], entries: [] };
  return {
    now: carriers.flatMap((status) => [
      `scale set ${status.name} carries ${labels.join(', ')}, but GitHub has assigned nothing of this job to it`,
      ...sayScaleSet(status, present.plans.get(status.name)),
    ]),
    entries: [],
  };
}

function whyNoCarrier(labels: readonly string[], scaleSets: readonly ScaleSetStatus[]): string {
  const carried = new Set(scaleSets.flatMap((status) => status.labels.map((label) => label.toLowerCase())));
  const missing = labels.filter((label) => !carried.has(label.toLowerCase()));
  const offered = scaleSets.map(({ name, labels: own }) => `${name} (${own.join(', ')})`).join('; ') || 'none';
  const none = missing.length === 1 ? 'this label' : 'any of these labels';
  return missing.length > 0
    ? `no scale set carries ${none}: ${missing.join(', ')}; there are ${offered}`
    : `no scale set carries all of these labels at once: ${labels.join(', ')}; there are ${offered}`;
}
