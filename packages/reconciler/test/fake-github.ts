import {
  type CallOptions,
  type Clock,
  type GitHubStatus,
  isRungarError,
  type JitRegistration,
  type JobFacts,
  type JobMessage,
  type JobMessageHandler,
  type MessageSession,
  RungarError,
  type RunnerRegistration,
  type RunnerStatuses,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
  Secret,
  type SessionRefusal,
} from '@rungar/model';

export interface FakeJob {
  id: string;
  scaleSet: string;
  durationMs: number;
  queuedAt: number;
  runner?: string;
  result?: string;
}

export interface FakeRunner {
  id: number;
  name: string;
  scaleSetId: number;
  online: boolean;
  job?: FakeJob;
}

interface FakeSet {
  record: ScaleSetRecord;
  session?: FakeSession;
  jobs: FakeJob[];
  queue: JobMessage[];
  wake: () => void;
}

type Call = 'find' | 'create' | 'delete' | 'open' | 'jit' | 'findRunner' | 'remove' | 'list';

export interface FakeGitHubOptions {
  clock: Clock;
  /** A runner has done its job, or was told to end: its machine stops. */
  onRunnerDone?: (name: string) => void;
}

/** GitHub's scale sets in memory: jobs, registrations and sessions, and whatever goes wrong with them. */
export class FakeGitHub implements ScaleSetService {
  readonly sets = new Map<string, FakeSet>();
  /** Names no scale set has, until one is created. */
  readonly absent = new Set<string>();
  readonly runners = new Map<number, FakeRunner>();
  readonly calls: { call: Call; at: number; name?: string }[] = [];
  /** Decides whether a call fails: an error to throw before it is done, or `lost` to lose the answer after it. */
  chooseFault: (call: Call, name: string) => Error | 'lost' | undefined = () => undefined;
  /** What opening a session is refused with. */
  refuseSession: SessionRefusal | undefined;
  /** Whom its refusals of a session name, in the wording that does. */
  sessionHolder: string | undefined;
  listingPages = 1;
  /** Sessions open, and polls get no answer. */
  pollsAnswered = true;
  /** What was told to be the most runners, with each poll. */
  readonly capacities: number[] = [];
  /** Whether runners take jobs by themselves as soon as they are online. */
  autoRun = true;
  /** How long a listing is shared; 0 takes a new one every time. */
  listingAgeMs = 0;
  #listing: { at: number; answer: Promise<RunnerStatuses> } | undefined;
  #nextId = 100;
  #nextSet = 1;
  readonly #options: FakeGitHubOptions;

  constructor(options: FakeGitHubOptions) {
    this.#options = options;
  }

  count(call: Call): number {
    return this.calls.filter((one) => one.call === call).length;
  }

  named(name: string): FakeRunner | undefined {
    return [...this.runners.values()].find((runner) => runner.name === name);
  }

  /** Registers a runner by hand, as an earlier daemon did. */
  register(name: string, scaleSet: string, more: { online?: boolean; busy?: boolean } = {}): FakeRunner {
    const runner: FakeRunner = {
      id: this.#nextId++,
      name,
      scaleSetId: this.#set(scaleSet).record.id,
      online: more.online ?? false,
    };
    if (more.busy) {
      runner.online = true;
      runner.job = { id: `job-of-${name}`, scaleSet, durationMs: Number.POSITIVE_INFINITY, queuedAt: 0, runner: name };
      this.#set(scaleSet).jobs.push(runner.job);
    }
    this.runners.set(runner.id, runner);
    return runner;
  }

  queueJob(scaleSet: string, durationMs: number): FakeJob {
    const set = this.#set(scaleSet);
    const job: FakeJob = {
      id: `job-${set.jobs.length + 1}-${scaleSet}`,
      scaleSet,
      durationMs,
      queuedAt: this.#options.clock.wallNow(),
    };
    set.jobs.push(job);
    this.tell(scaleSet, { assigned: [this.#facts(job)] });
    this.#hand(set);
    return job;
  }

  cancelWaiting(scaleSet: string): void {
    const set = this.#set(scaleSet);
    for (const job of set.jobs) if (job.runner === undefined) job.result ??= 'canceled';
    this.tell(scaleSet, {});
  }

  /** Puts a message on the queue, with the numbers as they are. */
  tell(scaleSet: string, message: Partial<JobMessage>): void {
    const set = this.#set(scaleSet);
    const base = { id: this.#nextId++, available: [], assigned: [], started: [], completed: [], unknownKinds: [] };
    set.queue.push({ ...base, ...message });
    set.wake();
  }

  /** A machine's runner comes online with its registration. */
  connect(runnerId: number): void {
    const runner = this.runners.get(runnerId);
    if (!runner) return;
    runner.online = true;
    const set = this.#setById(runner.scaleSetId);
    if (set) this.#hand(set);
  }

  /** A runner's machine is gone: it is offline, and its job, if any, is lost. */
  disconnect(name: string): FakeJob | undefined {
    const runner = this.named(name);
    if (!runner) return undefined;
    runner.online = false;
    const { job } = runner;
    return job && job.result === undefined ? job : undefined;
  }

  /** A runner's machine died under it, by nobody's doing: its job fails, and its registration stays offline. */
  crash(name: string): void {
    const job = this.disconnect(name);
    const runner = this.named(name);
    if (!runner) return;
    if (job) job.result = 'lost';
    delete runner.job;
  }

  complete(name: string, result = 'succeeded'): void {
    const runner = this.named(name);
    const job = runner?.job;
    if (!runner || !job) return;
    job.result = result;
    this.runners.delete(runner.id);
    this.tell(job.scaleSet, { completed: [{ ...this.#facts(job), result, runnerId: runner.id, runnerName: name }] });
    this.#options.onRunnerDone?.(name);
  }

  /** Gives an idle runner a job without waiting for one to be queued. */
  give(name: string, durationMs = Number.POSITIVE_INFINITY): void {
    const runner = this.named(name);
    const set = runner && this.#setById(runner.scaleSetId);
    if (!runner || !set) return;
    const job: FakeJob = {
      id: `job-${set.jobs.length + 1}`,
      scaleSet: set.record.name,
      durationMs,
      queuedAt: this.#options.clock.wallNow(),
    };
    set.jobs.push(job);
    this.#start(set, runner, job, false);
  }

  statistics(scaleSet: string): ScaleSetStatistics {
    const { jobs, record } = this.#set(scaleSet);
    const open = jobs.filter(({ result }) => result === undefined);
    const runners = [...this.runners.values()].filter(({ scaleSetId }) => scaleSetId === record.id);
    const running = open.filter(({ runner }) => runner !== undefined).length;
    return {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: open.length,
      runningJobs: running,
      registeredRunners: runners.length,
      busyRunners: runners.filter(({ job }) => job).length,
      idleRunners: runners.filter(({ job, online }) => online && !job).length,
    };
  }

  loseSession(scaleSet: string): void {
    this.#set(scaleSet).session?.lose(new RungarError('unavailable', 'the session is gone'));
  }

  /** Every job that no runner has finished and no crash has ended. */
  unfinished(): FakeJob[] {
    return [...this.sets.values()].flatMap(({ jobs }) => jobs).filter(({ result }) => result === undefined);
  }

  // The port.

  async findScaleSet(name: string, _group: string, options: CallOptions): Promise<ScaleSetRecord | undefined> {
    return this.#call('find', name, 100, options, () =>
      this.absent.has(name) ? undefined : { ...this.#set(name).record, statistics: this.statistics(name) },
    );
  }

  async createScaleSet(
    name: string,
    _group: string,
    _labels: readonly string[],
    options: CallOptions,
  ): Promise<ScaleSetRecord> {
    return this.#call('create', name, 100, options, () => {
      this.absent.delete(name);
      return this.#set(name).record;
    });
  }

  async deleteScaleSet(id: number, options: CallOptions): Promise<void> {
    const name = this.#setById(id)?.record.name ?? '';
    return this.#call('delete', name, 100, options, () => {
      const own = [...this.runners.values()].filter(({ scaleSetId }) => scaleSetId === id);
      if (own.some(({ job }) => job)) throw new RungarError('busy', 'its runners have jobs');
      for (const runner of own) this.runners.delete(runner.id);
      this.sets.get(name)?.session?.lose(new RungarError('not_found', 'the scale set is gone'));
      this.sets.delete(name);
      this.absent.add(name);
    });
  }

  async openSession(scaleSet: ScaleSetRecord, _owner: string, options: CallOptions): Promise<MessageSession> {
    return this.#call('open', scaleSet.name, 100, options, () => {
      if (this.absent.has(scaleSet.name)) throw new RungarError('not_found', 'refused: scale_set_gone');
      const set = this.#set(scaleSet.name);
      if (this.refuseSession)
        throw new RungarError(
          this.refuseSession === 'conflict' ? 'busy' : 'unavailable',
          `refused: ${this.refuseSession}${this.sessionHolder === undefined ? '' : `. Current owner: ${this.sessionHolder}`}`,
        );
      if (set.session?.open) throw new RungarError('busy', 'refused: conflict');
      set.session = new FakeSession(this, set, this.#options.clock);
      return set.session;
    });
  }

  refusalOf(error: unknown): SessionRefusal {
    const [, refusal] = (isRungarError(error) && /^refused: (\w+)/.exec(error.message)) || [];
    return (refusal ?? 'no_answer') as SessionRefusal;
  }

  async createJitConfig(scaleSet: ScaleSetRecord, runnerName: string, options: CallOptions): Promise<JitRegistration> {
    return this.#call('jit', runnerName, 200, options, () => {
      if (this.named(runnerName)) throw new RungarError('busy', `a runner named ${runnerName} exists already`);
      const runner = this.register(runnerName, scaleSet.name);
      return { runnerId: runner.id, runnerName, jitConfig: new Secret(`jit-of-${runner.id}`) };
    });
  }

  async findRunner(name: string, options: CallOptions): Promise<RunnerRegistration | undefined> {
    return this.#call('findRunner', name, 100, options, () => {
      const runner = this.named(name);
      return runner && { id: runner.id, name, scaleSetId: runner.scaleSetId };
    });
  }

  async removeRunner(id: number, options: CallOptions): Promise<void> {
    const name = this.runners.get(id)?.name ?? '';
    return this.#call('remove', name, 100, options, () => {
      if (this.runners.get(id)?.job) throw new RungarError('busy', 'the runner has a job');
      this.runners.delete(id);
    });
  }

  async runnerStatuses(options: Parameters<ScaleSetService['runnerStatuses']>[0]): Promise<RunnerStatuses> {
    const now = this.#options.clock.now();
    const { begunAfter = Number.NEGATIVE_INFINITY } = options;
    const shared = this.#listing;
    if (shared && now - shared.at < this.listingAgeMs && shared.at > begunAfter) return shared.answer;
    const answer = this.#call('list', '', 100 * this.listingPages, options, () => {
      const runners = new Map<string, { id: number; status: Exclude<GitHubStatus, 'not_registered'> }>();
      for (const { id, name, online, job } of this.runners.values()) {
        runners.set(name, { id, status: job ? 'busy' : online ? 'idle' : 'offline' });
      }
      return { begunAt: now, pages: this.listingPages, runners };
    });
    this.#listing = { at: now, answer };
    answer.catch(() => {
      if (this.#listing?.answer === answer) this.#listing = undefined;
    });
    return answer;
  }

  async close(): Promise<void> {}

  async #call<T>(call: Call, name: string, ms: number, { signal }: CallOptions, answer: () => T): Promise<T> {
    this.calls.push({ call, at: this.#options.clock.now(), name });
    const fault = this.chooseFault(call, name);
    await this.#options.clock.sleep(ms, signal);
    if (fault instanceof Error) throw fault;
    const result = answer();
    if (fault === 'lost') throw new RungarError('unavailable', 'the answer was lost');
    return result;
  }

  #set(name: string): FakeSet {
    let set = this.sets.get(name);
    if (!set) {
      const record: ScaleSetRecord = {
        id: this.#nextSet++,
        name,
        runnerGroupId: 1,
        runnerGroupName: 'Default',
        labels: [name],
      };
      set = { record, jobs: [], queue: [], wake: () => {} };
      this.sets.set(name, set);
    }
    return set;
  }

  #setById(id: number): FakeSet | undefined {
    return [...this.sets.values()].find(({ record }) => record.id === id);
  }

  /** Hands waiting jobs to runners that are online and idle. */
  #hand(set: FakeSet): void {
    if (!this.autoRun) return;
    for (const runner of this.runners.values()) {
      if (runner.scaleSetId !== set.record.id || !runner.online || runner.job) continue;
      const job = set.jobs.find((one) => one.runner === undefined && one.result === undefined);
      if (!job) return;
      this.#start(set, runner, job, true);
    }
  }

  #start(set: FakeSet, runner: FakeRunner, job: FakeJob, told: boolean): void {
    const { clock } = this.#options;
    runner.job = job;
    job.runner = runner.name;
    const times = { queuedAt: job.queuedAt, assignedAt: job.queuedAt, takenAt: clock.wallNow() };
    if (told)
      this.tell(set.record.name, {
        started: [{ ...this.#facts(job), ...times, runnerId: runner.id, runnerName: runner.name }],
      });
    if (!Number.isFinite(job.durationMs)) return;
    void clock.sleep(job.durationMs).then(() => {
      if (runner.online && job.result === undefined) this.complete(runner.name);
    });
  }

  #facts(job: FakeJob): JobFacts {
    return {
      jobId: job.id,
      runnerRequestId: 0,
      owner: 'acme',
      repository: 'app',
      workflowRef: 'acme/app/.github/workflows/ci.yml@refs/heads/main',
      displayName: `build ${job.id}`,
      workflowRunId: 7,
      eventName: 'push',
      requestLabels: [job.scaleSet],
    };
  }
}

class FakeSession implements MessageSession {
  readonly id = 'session';
  open = true;
  readonly #github: FakeGitHub;
  readonly #set: FakeSet;
  readonly #clock: Clock;
  readonly #lost = new AbortController();

  constructor(github: FakeGitHub, set: FakeSet, clock: Clock) {
    this.#github = github;
    this.#set = set;
    this.#clock = clock;
  }

  get statistics(): ScaleSetStatistics {
    return this.#github.statistics(this.#set.record.name);
  }

  lose(error: Error): void {
    this.open = false;
    this.#lost.abort(error);
  }

  async listen(handler: JobMessageHandler, { signal, capacity }: CallOptions & { capacity(): number }): Promise<never> {
    const ended = AbortSignal.any([signal, this.#lost.signal]);
    if (this.#github.pollsAnswered) handler.onStatistics(this.statistics, undefined);
    for (;;) {
      this.#github.capacities.push(capacity());
      const message = await this.#poll(ended);
      for (const job of message?.started ?? []) handler.onJobStarted(job);
      for (const job of message?.completed ?? []) handler.onJobCompleted(job);
      handler.onStatistics(message?.statistics ?? this.statistics, message);
    }
  }

  async close(): Promise<void> {
    await this.#clock.sleep(100);
    this.open = false;
  }

  async #poll(signal: AbortSignal): Promise<JobMessage | undefined> {
    signal.throwIfAborted();
    if (this.#set.queue.length === 0 || !this.#github.pollsAnswered) {
      const woken = new AbortController();
      this.#set.wake = () => woken.abort();
      await this.#clock.sleep(50_000, AbortSignal.any([signal, woken.signal])).catch(() => {});
      signal.throwIfAborted();
      if (!this.#github.pollsAnswered) return await this.#poll(signal);
    }
    // What is sent takes a moment, and messages of one moment come one by one.
    return this.#set.queue.shift();
  }
}
