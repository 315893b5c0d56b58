import type { MessageInitShape } from '@bufbuild/protobuf';
import { messageOf, RungarError } from '@rungar/model';
import {
  explain,
  type JobSubject,
  jobSubject,
  type Present,
  type Reconciler,
  type RunnerView,
  type ScaleSetPlan,
  type ScaleSetStatus,
  type Subject,
} from '@rungar/reconciler';
import type { ExplainRequest, ExplainResponseSchema } from '../../gen/rungar/v1/rungar_pb.js';
import type { EventLog } from '../event-log.js';
import { toTimestamp } from './messages.js';

const KINDS = ['runner', 'scale_set', 'job', 'provider'] as const;

/** Answers `Explain`. Changes nothing. */
export async function answerExplain(
  request: ExplainRequest,
  { reconciler, events }: { reconciler: Reconciler; events: EventLog },
  signal: AbortSignal,
): Promise<MessageInitShape<typeof ExplainResponseSchema>> {
  const subject = subjectOf(request);
  const present = await presentFor(subject, reconciler, signal);
  const { limit } = request;
  if (limit < 0) throw new RungarError('invalid_argument', `the limit of entries must not be negative, got ${limit}`);
  const story = explain(subject, { events: events.read({}), present, ...(limit > 0 && { limit }) });
  return {
    kind: story.kind,
    name: story.name,
    now: [...story.now],
    entries: story.entries.map(({ time, facts, ...entry }) => ({
      ...entry,
      time: toTimestamp(time),
      facts: { ...facts },
    })),
    leftOut: story.leftOut,
  };
}

function subjectOf({ kind, name, labels }: ExplainRequest): Subject {
  const known = KINDS.find((one) => one === kind);
  if (!known) throw new RungarError('invalid_argument', `kind is "${kind}"; one of ${KINDS.join(', ')} is wanted`);
  if (name === '') throw new RungarError('invalid_argument', 'name is empty');
  return known === 'job' ? jobSubject(name, labels) : { kind: known, name };
}

async function presentFor(subject: Subject, reconciler: Reconciler, signal: AbortSignal): Promise<Present> {
  const scaleSets = reconciler.scaleSets();
  const { runners } = subject.kind === 'runner' ? await reconciler.listRunners({}, signal) : { runners: [] };
  const concerned = concernedBy(subject, scaleSets, runners);
  const plans = await Promise.all(concerned.map((name) => planOf(name, reconciler)));
  return {
    scaleSets,
    providers: reconciler.providers(),
    runners,
    plans: new Map(plans.map((plan) => [plan.scaleSet, plan])),
  };
}

/** The scale sets whose plan tells something of the subject. */
function concernedBy(
  subject: Subject,
  scaleSets: readonly ScaleSetStatus[],
  runners: readonly RunnerView[],
): readonly string[] {
  const known = scaleSets.map(({ name }) => name);
  switch (subject.kind) {
    case 'scale_set':
      return known.filter((name) => name === subject.name);
    case 'runner':
      return known.filter((name) => runners.some((runner) => runner.name === subject.name && runner.scaleSet === name));
    case 'job':
      return scaleSets.filter((status) => mayHave(status, subject)).map(({ name }) => name);
    case 'provider':
      return [];
  }
}

function mayHave({ waitingJobs, labels }: ScaleSetStatus, { id, run, labels: asked }: JobSubject): boolean {
  const carried = new Set(labels.map((label) => label.toLowerCase()));
  return (
    waitingJobs.some(({ jobId, workflowRunId }) => jobId === id || workflowRunId === run?.id) ||
    (asked?.every((label) => carried.has(label.toLowerCase())) ?? false)
  );
}

/** A plan, or what kept it from being made: the rest of the story is told all the same. */
async function planOf(name: string, reconciler: Reconciler): Promise<ScaleSetPlan> {
  return await reconciler.plan(name).catch((error: unknown) => ({
    scaleSet: name,
    at: 0,
    phase: 'starting' as const,
    paused: false,
    reasons: [`what its next pass would do is not known: ${messageOf(error)}`],
    steps: [],
    placement: [],
    outdated: [],
  }));
}
