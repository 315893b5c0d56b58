import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type {
  EventAction as Action,
  GitHubStatus,
  JobFacts,
  EventKind as Kind,
  MachineState as ProviderMachineState,
  RungarEvent,
  ScaleSetRecord,
  RunnerState as State,
} from '@rungar/model';
import type { ScaleSetPhase as Phase, ProviderStatus, RunnerView, ScaleSetStatus } from '@rungar/reconciler';
import {
  EventAction,
  EventKind,
  type EventSchema,
  type GitHubScaleSetSchema,
  MachineState,
  type ProviderSchema,
  RunnerGitHubStatus,
  type RunnerSchema,
  RunnerState,
  type RunnerVersion,
  RunnerVersionSchema,
  ScaleSetPhase,
  type ScaleSetSchema,
  type WaitingJobSchema,
} from '../../gen/rungar/v1/rungar_pb.js';
import type { VersionUse } from '../runner-versions.js';

export const PHASES: Readonly<Record<Phase, ScaleSetPhase>> = {
  starting: ScaleSetPhase.STARTING,
  waiting_for_session: ScaleSetPhase.WAITING_FOR_SESSION,
  listening: ScaleSetPhase.LISTENING,
  github_unreachable: ScaleSetPhase.GITHUB_UNREACHABLE,
  waiting_for_lead: ScaleSetPhase.WAITING_FOR_LEAD,
  failed: ScaleSetPhase.FAILED,
};

export const STATES: Readonly<Record<State, RunnerState>> = {
  starting: RunnerState.STARTING,
  idle: RunnerState.IDLE,
  busy: RunnerState.BUSY,
};

const MACHINE_STATES: Readonly<Record<ProviderMachineState, MachineState>> = {
  starting: MachineState.STARTING,
  running: MachineState.RUNNING,
  stopped: MachineState.STOPPED,
  unknown: MachineState.UNSPECIFIED,
};

const GITHUB_STATUSES: Readonly<Record<GitHubStatus, RunnerGitHubStatus>> = {
  busy: RunnerGitHubStatus.RUNNER_GITHUB_STATUS_BUSY,
  idle: RunnerGitHubStatus.RUNNER_GITHUB_STATUS_IDLE,
  offline: RunnerGitHubStatus.RUNNER_GITHUB_STATUS_OFFLINE,
  not_registered: RunnerGitHubStatus.RUNNER_GITHUB_STATUS_NOT_REGISTERED,
};

const KINDS: Readonly<Record<Kind, EventKind>> = {
  runner: EventKind.RUNNER,
  provider: EventKind.PROVIDER,
  scale_set: EventKind.SCALE_SET,
  daemon: EventKind.DAEMON,
};

const ACTIONS: Readonly<Record<Action, EventAction>> = {
  created: EventAction.CREATED,
  adopted: EventAction.ADOPTED,
  removed: EventAction.REMOVED,
  lost: EventAction.LOST,
  full: EventAction.FULL,
  failing: EventAction.FAILING,
  paused: EventAction.PAUSED,
  resumed: EventAction.RESUMED,
  connected: EventAction.CONNECTED,
  job_started: EventAction.JOB_STARTED,
  min_runners_changed: EventAction.MIN_RUNNERS_CHANGED,
  delete_failing: EventAction.DELETE_FAILING,
  delete_recovered: EventAction.DELETE_RECOVERED,
  failed: EventAction.FAILED,
  recovered: EventAction.RECOVERED,
  reloaded: EventAction.RELOADED,
  split: EventAction.SPLIT,
  reload_failed: EventAction.RELOAD_FAILED,
  runner_version_ending: EventAction.RUNNER_VERSION_ENDING,
  runner_version_refused: EventAction.RUNNER_VERSION_REFUSED,
};

/** @param ms epoch milliseconds, possibly with a fraction, which is kept to the microsecond */
export function toTimestamp(ms: number): Timestamp {
  const micros = Math.round(ms * 1000);
  const seconds = Math.floor(micros / 1e6);
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: (micros - seconds * 1e6) * 1000 });
}

/** @returns epoch milliseconds with a fraction */
export function fromTimestamp({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1000 + nanos / 1e6;
}

/** @param ms not negative */
export function toDuration(ms: number): Duration {
  const micros = Math.round(ms * 1000);
  const seconds = Math.floor(micros / 1e6);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos: (micros - seconds * 1e6) * 1000 });
}

/** What beside its own status is known of a scale set. */
export interface ScaleSetSurroundings {
  /** Machines found on the fleet, if that was looked at. */
  readonly fleetRunners?: number;
  readonly github?: MessageInitShape<typeof GitHubScaleSetSchema>;
}

export function toScaleSet(
  status: ScaleSetStatus,
  around: ScaleSetSurroundings,
): MessageInitShape<typeof ScaleSetSchema> {
  return {
    name: status.name,
    configured: true,
    labels: [...status.labels],
    providers: [...status.providers],
    placement: status.placement,
    runnerSizes: status.runnerSizes.map(({ provider, size }) => ({ provider, description: size })),
    minRunners: status.minRunners,
    maxRunners: status.maxRunners,
    priority: status.priority,
    runnerGroup: status.runnerGroup,
    runsOn: status.name,
    phase: PHASES[status.phase],
    desiredRunners: status.desired ?? 0,
    ...(status.counts && { runnerCounts: status.counts }),
    holdingBackReason: status.holdingBackReason,
    ...around,
    paused: status.paused,
    configuredPaused: status.configuredPaused,
    configuredMinRunners: status.configuredMinRunners,
    ...(status.schedule && { schedule: toSchedule(status.schedule) }),
    stateReason: status.phaseReason ?? waitingReason(status),
    stateSince: toTimestamp(status.phaseSince),
    ...(status.retryAt !== undefined && { retryAt: toTimestamp(status.retryAt) }),
    role: status.role,
    ...(status.sessionSince !== undefined && { sessionSince: toTimestamp(status.sessionSince) }),
    creatingRunners: status.creating,
    suspectRunners: status.suspects,
    assignedJobs: status.assignedJobs ?? 0,
    waitingJobs: status.waitingJobs.map(toWaitingJob),
  };
}

function toWaitingJob(job: JobFacts): MessageInitShape<typeof WaitingJobSchema> {
  const { jobId, owner, repository, displayName, queuedAt } = job;
  return {
    ...{ id: jobId, repository: owner !== '' ? `${owner}/${repository}` : repository, displayName },
    ...(queuedAt !== undefined && { queueTime: toTimestamp(queuedAt) }),
  };
}

function waitingReason({ waiting }: ScaleSetStatus): string {
  const [first, ...rest] = waiting;
  if (!first) return '';
  const others = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  return `${first.runner}${others} is to be replaced: ${first.why}`;
}

function toSchedule({ timeZone, windows }: NonNullable<ScaleSetStatus['schedule']>) {
  return { timeZone, windows: windows.map((window) => ({ ...window })) };
}

/** A scale set that is not configured: what its machines and GitHub tell. */
export function toLeftover(name: string, around: ScaleSetSurroundings): MessageInitShape<typeof ScaleSetSchema> {
  return { name, ...around };
}

export function toGitHubScaleSet(record: ScaleSetRecord): MessageInitShape<typeof GitHubScaleSetSchema> {
  const { statistics, createdAt } = record;
  return {
    found: true,
    id: BigInt(record.id),
    runnerGroup: record.runnerGroupName,
    labels: [...record.labels],
    ...(createdAt !== undefined && { createTime: toTimestamp(createdAt) }),
    ...(statistics && {
      statistics: {
        assignedJobs: statistics.assignedJobs,
        runningJobs: statistics.runningJobs,
        registeredRunners: statistics.registeredRunners,
        busyRunners: statistics.busyRunners,
        idleRunners: statistics.idleRunners,
      },
    }),
  };
}

/** What a listing of the fleet told of a provider. */
export interface ProviderListing {
  /** Runners found there. */
  readonly runnerCount: number;
  /** Why it could not be listed. */
  readonly error?: string;
}

/** @param now epoch milliseconds, on the clock of the status's intervals */
export function toProvider(
  status: ProviderStatus,
  listing: ProviderListing,
  now: number,
): MessageInitShape<typeof ProviderSchema> {
  const error = listing.error ?? status.error ?? '';
  const reachable = listing.error === undefined && status.reachable;
  return {
    name: status.name,
    type: status.type,
    endpoint: status.endpoint,
    weight: status.weight,
    disabled: status.disabled,
    configuredDisabled: status.configuredDisabled,
    reachable,
    error: reachable ? '' : error,
    ...(status.hold && {
      hold: {
        scaleSet: status.hold.scaleSet,
        priority: status.hold.priority,
        remaining: toDuration(status.hold.remainingMs),
      },
    }),
    // A provider that cannot be listed keeps what is counted there.
    runnerCount: reachable ? listing.runnerCount : status.runnerCount,
    maxRunners: status.maxRunners,
    scaleSets: status.scaleSets.map(({ scaleSet, refusals, refusal, full, backoffForMs }) => ({
      scaleSet,
      refusals,
      refusal,
      full,
      ...(backoffForMs !== undefined && { backoffFor: toDuration(backoffForMs) }),
    })),
    ...toState(status, now),
  };
}

/** What is wrong there beside reachability, and when the first of it is tried again. */
function toState({ retired, sameBackendAs, slowed, undeletable }: ProviderStatus, now: number) {
  const [worst, ...rest] = undeletable;
  const others = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  const reasons = [
    ...(retired ? ['is not configured any more, and goes once its last runner has gone'] : []),
    ...(sameBackendAs === undefined
      ? []
      : [`is the same backend as ${sameBackendAs} and not used: take one of the two out of the configuration`]),
    ...slowed.map(({ scaleSet, why }) => `${scaleSet} creates slowly here: ${why}`),
    ...(worst ? [`${worst.runner}${others} could not be deleted in ${worst.attempts} attempts: ${worst.error}`] : []),
  ];
  const nextTryInMs = Math.min(...slowed.map((brake) => brake.nextTryInMs));
  return {
    stateReason: reasons.join('; '),
    ...(slowed.length > 0 && { retryAt: toTimestamp(now + nextTryInMs) }),
  };
}

export function toRunner(view: RunnerView): MessageInitShape<typeof RunnerSchema> {
  const { state, machineState, githubStatus, createdAt, job } = view;
  return {
    name: view.name,
    scaleSet: view.scaleSet,
    provider: view.provider,
    ...(state && { state: STATES[state] }),
    ...(machineState && { machineState: MACHINE_STATES[machineState] }),
    ...(githubStatus && { githubStatus: GITHUB_STATUSES[githubStatus] }),
    version: view.version ?? '',
    ...(createdAt !== undefined && { createTime: toTimestamp(createdAt) }),
    ...(job && {
      job: {
        id: job.id,
        repository: job.repository,
        workflowRef: job.workflowRef,
        displayName: job.displayName,
        workflowRunId: BigInt(job.workflowRunId),
        startTime: toTimestamp(job.startedAt),
      },
    }),
  };
}

export function toVersionUse({ version, runners, endsAt, refused }: VersionUse): RunnerVersion {
  return create(RunnerVersionSchema, {
    ...{ version, runners, refused },
    ...(endsAt !== undefined && { endTime: toTimestamp(endsAt) }),
  });
}

export function toEvent(event: RungarEvent): MessageInitShape<typeof EventSchema> {
  return {
    time: toTimestamp(event.time),
    kind: KINDS[event.kind],
    name: event.name,
    action: ACTIONS[event.action],
    scaleSet: event.scaleSet ?? '',
    provider: event.provider ?? '',
    message: event.message ?? '',
    attributes: { ...event.attributes },
  };
}
