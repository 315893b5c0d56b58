import type { Clock } from '@rungar/model';

/** A runner as GitHub has it. */
export interface GitHubRunner {
  readonly id: number;
  readonly name: string;
  readonly scaleSet: GitHubScaleSet;
  online: boolean;
  busy: boolean;
}

interface Job {
  readonly id: number;
  runner: GitHubRunner | undefined;
}

type JobEvent = Readonly<Record<string, unknown>>;

/** A message as it goes over the wire, statistics of the moment of its delivery included. */
export interface Delivery {
  readonly id: number;
  readonly text: string;
}

/** What fits one message. */
const JOBS_A_MESSAGE = 50;

/** One scale set at GitHub: its jobs, its runners' numbers, and what its listener has yet to hear. */
export class GitHubScaleSet {
  readonly id: number;
  readonly name: string;
  readonly runners = new Set<GitHubRunner>();
  readonly #clock: Clock;
  readonly #jobs = new Set<Job>();
  readonly #news: JobEvent[] = [];
  #lastJob = 0;
  #lastMessage = 0;
  #unread: Delivery | undefined;
  #ring: () => void = () => {};

  constructor(id: number, name: string, clock: Clock) {
    this.id = id;
    this.name = name;
    this.#clock = clock;
  }

  /** Jobs that no runner has taken. */
  get waiting(): number {
    return [...this.#jobs].filter(({ runner }) => runner === undefined).length;
  }

  get statistics(): Readonly<Record<string, number>> {
    let [idle, busy, running] = [0, 0, 0];
    for (const runner of this.runners) {
      if (runner.busy) busy++;
      else if (runner.online) idle++;
    }
    for (const { runner } of this.#jobs) if (runner) running++;
    return {
      totalAvailableJobs: 0,
      totalAcquiredJobs: 0,
      totalAssignedJobs: this.#jobs.size,
      totalRunningJobs: running,
      totalRegisteredRunners: this.runners.size,
      totalBusyRunners: busy,
      totalIdleRunners: idle,
    };
  }

  /** New jobs, one half told as assigned and the other as on offer, so that the listener has both to do. */
  assign(count: number): void {
    for (let more = 0; more < count; more++) {
      const job: Job = { id: ++this.#lastJob, runner: undefined };
      this.#jobs.add(job);
      this.#tell(job.id % 2 === 0 ? 'JobAssigned' : 'JobAvailable', job);
    }
    this.#ring();
  }

  /** Gives an idle runner a job that has none. @returns what ends the job */
  start(runner: GitHubRunner): (() => void) | undefined {
    const job = [...this.#jobs].find((one) => one.runner === undefined);
    if (!job || !runner.online || runner.busy) return undefined;
    job.runner = runner;
    runner.busy = true;
    this.#tell('JobStarted', job);
    this.#ring();
    return () => {
      this.#jobs.delete(job);
      this.#tell('JobCompleted', job);
      this.#ring();
    };
  }

  /** The next message after the one of that id, once there is one. @throws the signal's reason */
  async next(after: number, holdMs: number, signal: AbortSignal): Promise<Delivery | undefined> {
    if (this.#news.length === 0 && !this.#isUnread(after)) await this.#hold(holdMs, signal);
    if (this.#isUnread(after)) return this.#unread;
    if (this.#news.length === 0) return undefined;
    const id = ++this.#lastMessage;
    const body = JSON.stringify(this.#news.splice(0, JOBS_A_MESSAGE));
    const message = { messageId: id, messageType: 'RunnerScaleSetJobMessages', statistics: this.statistics, body };
    this.#unread = { id, text: JSON.stringify(message) };
    return this.#unread;
  }

  acknowledge(id: number): void {
    if (this.#unread?.id === id) this.#unread = undefined;
  }

  #isUnread(after: number): boolean {
    return this.#unread !== undefined && this.#unread.id > after;
  }

  async #hold(ms: number, signal: AbortSignal): Promise<void> {
    const news = new AbortController();
    this.#ring = () => news.abort();
    await this.#clock.sleep(ms, AbortSignal.any([signal, news.signal])).catch(() => signal.throwIfAborted());
    this.#ring = () => {};
  }

  #tell(messageType: string, { id, runner }: Job): void {
    const now = new Date(this.#clock.wallNow()).toISOString();
    this.#news.push({
      messageType,
      runnerRequestId: this.id * 1_000_000 + id,
      jobId: `${this.id}-${id}`,
      ownerName: 'acme',
      repositoryName: 'web',
      jobDisplayName: `build ${id}`,
      workflowRunId: id,
      queueTime: now,
      scaleSetAssignTime: now,
      ...(runner && { runnerId: runner.id, runnerName: runner.name, runnerAssignTime: now }),
      ...(messageType === 'JobCompleted' && { result: 'succeeded', finishTime: now }),
    });
  }
}
