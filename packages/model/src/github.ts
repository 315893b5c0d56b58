import type { CallOptions } from './provider.js';
import type { GitHubStatus } from './runner.js';
import type { Secret } from './secret.js';

/** GitHub's own numbers for a scale set. `assignedJobs` (running ones included) is the only one to scale on. */
export interface ScaleSetStatistics {
  readonly availableJobs: number;
  readonly acquiredJobs: number;
  readonly assignedJobs: number;
  readonly runningJobs: number;
  readonly registeredRunners: number;
  readonly busyRunners: number;
  readonly idleRunners: number;
}

/** A scale set as GitHub has it. */
export interface ScaleSetRecord {
  readonly id: number;
  readonly name: string;
  readonly runnerGroupId: number;
  readonly runnerGroupName: string;
  readonly labels: readonly string[];
  /** Epoch milliseconds, where GitHub says. */
  readonly createdAt?: number;
  readonly statistics?: ScaleSetStatistics;
}

/** What every job message says of its job. Times are epoch milliseconds by GitHub's clock; absent where not set. */
export interface JobFacts {
  readonly jobId: string;
  /** 0 on github.com today; Enterprise Server's way to name a job. */
  readonly runnerRequestId: number;
  readonly owner: string;
  readonly repository: string;
  readonly workflowRef: string;
  readonly displayName: string;
  readonly workflowRunId: number;
  readonly eventName: string;
  readonly requestLabels: readonly string[];
  readonly queuedAt?: number;
  readonly assignedAt?: number;
  readonly takenAt?: number;
  readonly finishedAt?: number;
}

export interface JobStarted extends JobFacts {
  readonly runnerId: number;
  readonly runnerName: string;
}

export interface JobCompleted extends JobFacts {
  /** `succeeded`, `failed`, `canceled`, or whatever else GitHub says. */
  readonly result: string;
  readonly runnerId: number;
  /** Empty when no runner ever took the job. */
  readonly runnerName: string;
}

/** One envelope of the message queue, sorted by kind. At most 50 jobs fit one: count by the statistics. */
export interface JobMessage {
  readonly id: number;
  readonly statistics?: ScaleSetStatistics;
  readonly available: readonly JobFacts[];
  readonly assigned: readonly JobFacts[];
  readonly started: readonly JobStarted[];
  readonly completed: readonly JobCompleted[];
  /** Kinds this version does not know, once each. They were skipped. */
  readonly unknownKinds: readonly string[];
}

/** What the owner of a session does with what arrives. Neither may throw, wait for a machine, or hold the next poll up. */
export interface JobMessageHandler {
  /** GitHub answered a poll, with a message or without one, or opened the session: the count to scale on. */
  onStatistics(statistics: ScaleSetStatistics, message: JobMessage | undefined): void;
  /** A runner has taken a job. Comes again where GitHub repeats its message. */
  onJobStarted(job: JobStarted): void;
  /** A job has ended, or was taken back before any runner had it. Comes again where GitHub repeats its message. */
  onJobCompleted(job: JobCompleted): void;
}

/** An open message session. GitHub allows one per scale set. */
export interface MessageSession {
  readonly id: string;
  readonly statistics: ScaleSetStatistics;
  /**
   * Polls, acknowledges, acquires and hands on, until the session is lost or `signal` aborts. A message in hand
   * when the signal aborts is finished first.
   * @param options.capacity asked before every poll: the most runners this scale set could have now
   * @throws RungarError why the session is lost; the signal's reason when it aborted
   */
  listen(handler: JobMessageHandler, options: CallOptions & { capacity(): number }): Promise<never>;
  /** Gives the session back. Safe to repeat; bounded at 30 s. */
  close(): Promise<void>;
}

/** A just-in-time registration. */
export interface JitRegistration {
  readonly runnerId: number;
  readonly runnerName: string;
  /** What the runner starts with; good once. */
  readonly jitConfig: Secret;
}

/** A self-hosted runner as GitHub has it registered. */
export interface RunnerRegistration {
  readonly id: number;
  readonly name: string;
  /** 0 where GitHub does not say. */
  readonly scaleSetId: number;
}

/** One listing of all self-hosted runners of the scope. */
export interface RunnerStatuses {
  /** On the monotonic clock: when the request for it was begun. */
  readonly begunAt: number;
  /** How many pages it took: of more than one, absence is only a suspicion. */
  readonly pages: number;
  readonly runners: ReadonlyMap<
    string,
    {
      readonly id: number;
      readonly status: Exclude<GitHubStatus, 'not_registered'>;
      /** Of the runner program, `2.335.1`: absent until it has connected, and where GitHub does not tell. */
      readonly version?: string;
    }
  >;
}

/** Why a session could not be opened. */
export type SessionRefusal =
  /** Another session holds the scale set. */
  | 'conflict'
  /** No answer, a time-out, or GitHub's own trouble (5xx, 429, 408). */
  | 'no_answer'
  /** GitHub does not know the scale set's id (any more). */
  | 'scale_set_gone'
  /** The credential was refused (401). */
  | 'unauthorized'
  /** Anything else GitHub said no to. */
  | 'refused';

/**
 * GitHub's scale-set service for one scope (organisation, repository or enterprise).
 *
 * Every call rejects with a RungarError: `unavailable` when GitHub did not answer or is in trouble,
 * `not_found` when it does not know the thing, `busy` for a runner with a job or a session somebody else holds,
 * `invalid_argument` when it refuses what was asked for good. {@link ScaleSetService.refusalOf} tells more.
 */
export interface ScaleSetService {
  /** The scale set of that name in that runner group, if there is one. `Default` is not looked up. */
  findScaleSet(name: string, runnerGroup: string, options: CallOptions): Promise<ScaleSetRecord | undefined>;
  /**
   * Creates a scale set, or gives the one of that name and group that is there by now: an attempt whose answer was lost
   * may be repeated.
   * @throws RungarError what GitHub answered; the signal's reason when it aborts
   */
  createScaleSet(
    name: string,
    runnerGroup: string,
    labels: readonly string[],
    options: CallOptions,
  ): Promise<ScaleSetRecord>;
  /**
   * Deletes a scale set; one that is not there counts as deleted.
   * @throws `busy` while one of its runners has a job
   */
  deleteScaleSet(id: number, options: CallOptions): Promise<void>;
  /**
   * Opens the one session of a scale set, by which its messages come. {@link ScaleSetService.refusalOf} tells what kind
   * of refusal an error is.
   * @param owner shown by GitHub to whoever is refused because of this session
   * @throws RungarError what GitHub answered; the signal's reason when it aborts
   */
  openSession(scaleSet: ScaleSetRecord, owner: string, options: CallOptions): Promise<MessageSession>;
  /** What kind of refusal an error of {@link ScaleSetService.openSession} or of the look-ups before it was. */
  refusalOf(error: unknown): SessionRefusal;
  /** Registers a runner. @throws `busy` with the name in the message when a runner of that name is registered already. */
  createJitConfig(scaleSet: ScaleSetRecord, runnerName: string, options: CallOptions): Promise<JitRegistration>;
  /**
   * The registration of that name, by a question of its own rather than a listing; nothing where there is none.
   * @throws RungarError what GitHub answered, which is never proof of absence; the signal's reason when it aborts
   */
  findRunner(name: string, options: CallOptions): Promise<RunnerRegistration | undefined>;
  /**
   * Removes a registration by an id that came from {@link ScaleSetService.createJitConfig} or
   * {@link ScaleSetService.findRunner}; an unknown id counts as removed.
   * @throws `busy` when the runner has a job
   */
  removeRunner(id: number, options: CallOptions): Promise<void>;
  /**
   * The listing of the scope's runners: shared by all callers, and reused while it is young (docs/concepts/github.md).
   * @param options.begunAfter only a listing whose request was begun after this instant will do
   * @param options.only the names of the runners that matter: others may be missing, since GitHub may be asked for
   * these one by one where that takes fewer requests
   * @throws `unavailable` too while GitHub's budget of requests does not allow to ask
   */
  runnerStatuses(
    options: CallOptions & { readonly begunAfter?: number; readonly only?: readonly string[] },
  ): Promise<RunnerStatuses>;
  /** Closes its connections. More than once is as good as once. */
  close(): Promise<void>;
}
