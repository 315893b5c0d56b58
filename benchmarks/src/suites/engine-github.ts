import {
  type CallOptions,
  type Clock,
  type JobMessage,
  type JobMessageHandler,
  type MessageSession,
  RungarError,
  type RunnerStatuses,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
  Secret,
} from '@rungar/model';

const CALL_MS = 100;
const JIT_MS = 200;
const POLL_MS = 50_000;
const PAGE = 100;
const PAGES_AT_ONCE = 8;

export type Call = 'find' | 'open' | 'close' | 'register' | 'look_up' | 'remove' | 'list';

interface Registered {
  readonly id: number;
  readonly name: string;
  readonly scaleSet: string;
  status: 'offline' | 'idle' | 'busy';
}

interface ScaleSet {
  readonly record: ScaleSetRecord;
  assigned: number;
  readonly waiting: JobMessage[];
  wake: AbortController;
}

/**
 * GitHub's scale-set service, call for call, on a clock of its own and with the latencies the targets are stated for.
 * What its runners do is said by the benchmark.
 */
export class EngineGitHub implements ScaleSetService {
  readonly counts: Record<Call, number> = {
    find: 0,
    open: 0,
    close: 0,
    register: 0,
    look_up: 0,
    remove: 0,
    list: 0,
  };
  /** When each session was closed. */
  readonly closedAt: number[] = [];
  readonly runners = new Map<string, Registered>();
  readonly #byId = new Map<number, Registered>();
  readonly #sets = new Map<string, ScaleSet>();
  readonly #clock: Clock;
  #listing: { readonly begunAt: number; readonly answer: Promise<RunnerStatuses> } | undefined;
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells a scale set's listener how many jobs it has to see to. */
  assign(scaleSet: string, jobs: number): void {
    this.#setOf(scaleSet).assigned = jobs;
    this.#tell(scaleSet, {});
  }

  /** A registration of before. */
  leave(name: string, scaleSet: string, status: Registered['status']): void {
    this.#register(name, scaleSet).status = status;
  }

  connect(name: string): void {
    const runner = this.runners.get(name);
    if (runner?.status === 'offline') runner.status = 'idle';
  }

  /** Idle runners take jobs. @param told whether the listener hears of it, in one message */
  startJobs(scaleSet: string, names: readonly string[], told: boolean): void {
    for (const name of names) {
      const runner = this.runners.get(name);
      if (runner) runner.status = 'busy';
    }
    if (!told) return;
    const started = names.map((name) => ({ ...this.#jobOf(name), runnerName: name, runnerId: 0 }));
    this.#tell(scaleSet, { started });
  }

  /** Jobs end, and GitHub tells in one message. */
  endJobs(scaleSet: string, names: readonly string[]): void {
    for (const name of names) this.#forget(this.runners.get(name));
    const set = this.#setOf(scaleSet);
    set.assigned -= names.length;
    const completed = names.map((name) => ({
      ...this.#jobOf(name),
      runnerName: name,
      runnerId: 0,
      result: 'succeeded',
    }));
    this.#tell(scaleSet, { completed });
  }

  /** Calls that have something to do with a runner. */
  get runnerCalls(): number {
    const { register, look_up: lookUp, remove } = this.counts;
    return register + lookUp + remove;
  }

  async findScaleSet(name: string, _group: string, options: CallOptions): Promise<ScaleSetRecord> {
    await this.#take('find', CALL_MS, options);
    return { ...this.#setOf(name).record, statistics: this.#statistics(name) };
  }

  async createScaleSet(name: string, _group: string, _labels: readonly string[], options: CallOptions) {
    await this.#take('find', CALL_MS, options);
    return this.#setOf(name).record;
  }

  async deleteScaleSet(): Promise<never> {
    throw new RungarError('internal', 'no scale set is deleted here');
  }

  async openSession({ name }: ScaleSetRecord, _owner: string, options: CallOptions): Promise<MessageSession> {
    await this.#take('open', CALL_MS, options);
    const set = this.#setOf(name);
    set.waiting.length = 0;
    const statistics = (): ScaleSetStatistics => this.#statistics(name);
    return {
      id: name,
      get statistics() {
        return statistics();
      },
      listen: (handler, { signal, capacity }) => this.#listen(name, handler, capacity, signal),
      close: async () => {
        this.counts.close += 1;
        await this.#clock.sleep(CALL_MS);
        this.closedAt.push(this.#clock.now());
      },
    };
  }

  refusalOf(): 'no_answer' {
    return 'no_answer';
  }

  async createJitConfig({ name: scaleSet }: ScaleSetRecord, name: string, options: CallOptions) {
    await this.#take('register', JIT_MS, options);
    const { id } = this.#register(name, scaleSet);
    return { runnerId: id, runnerName: name, jitConfig: new Secret(`registration-${id}`) };
  }

  async findRunner(name: string, options: CallOptions) {
    await this.#take('look_up', CALL_MS, options);
    const found = this.runners.get(name);
    return found && { id: found.id, name, scaleSetId: this.#setOf(found.scaleSet).record.id };
  }

  async removeRunner(id: number, options: CallOptions): Promise<void> {
    await this.#take('remove', CALL_MS, options);
    const runner = this.#byId.get(id);
    if (runner?.status === 'busy') throw new RungarError('busy', `runner ${runner.name} has a job`);
    this.#forget(runner);
  }

  runnerStatuses({ begunAfter = Number.NEGATIVE_INFINITY }: { begunAfter?: number }): Promise<RunnerStatuses> {
    const begunAt = this.#clock.now();
    if (this.#listing && this.#listing.begunAt > begunAfter && begunAt - this.#listing.begunAt < 1_000)
      return this.#listing.answer;
    const answer = this.#list(begunAt);
    this.#listing = { begunAt, answer };
    return answer;
  }

  async close(): Promise<void> {}

  async #list(begunAt: number): Promise<RunnerStatuses> {
    this.counts.list += 1;
    const pages = Math.max(1, Math.ceil(this.runners.size / PAGE));
    await this.#clock.sleep(CALL_MS * (1 + Math.ceil((pages - 1) / PAGES_AT_ONCE)));
    const runners = new Map([...this.runners.values()].map(({ id, name, status }) => [name, { id, status }]));
    return { begunAt, pages, runners };
  }

  async #listen(name: string, handler: JobMessageHandler, capacity: () => number, signal: AbortSignal): Promise<never> {
    const set = this.#setOf(name);
    handler.onStatistics(this.#statistics(name), undefined);
    for (;;) {
      capacity();
      signal.throwIfAborted();
      if (set.waiting.length === 0) {
        set.wake = new AbortController();
        await this.#clock.sleep(POLL_MS, AbortSignal.any([signal, set.wake.signal])).catch(() => {});
        signal.throwIfAborted();
      }
      const message = set.waiting.shift();
      for (const job of message?.started ?? []) handler.onJobStarted(job);
      for (const job of message?.completed ?? []) handler.onJobCompleted(job);
      handler.onStatistics(message?.statistics ?? this.#statistics(name), message);
    }
  }

  async #take(call: Call, ms: number, { signal }: CallOptions): Promise<void> {
    this.counts[call] += 1;
    await this.#clock.sleep(ms, signal);
  }

  #register(name: string, scaleSet: string): Registered {
    const runner: Registered = { id: ++this.#lastId, name, scaleSet, status: 'offline' };
    this.runners.set(name, runner);
    this.#byId.set(runner.id, runner);
    return runner;
  }

  #forget(runner: Registered | undefined): void {
    if (!runner) return;
    this.runners.delete(runner.name);
    this.#byId.delete(runner.id);
  }

  #tell(scaleSet: string, news: Partial<JobMessage>): void {
    const set = this.#setOf(scaleSet);
    const nothing = { available: [], assigned: [], started: [], completed: [], unknownKinds: [] };
    set.waiting.push({ id: ++this.#lastId, ...nothing, statistics: this.#statistics(scaleSet), ...news });
    set.wake.abort();
  }

  #setOf(name: string): ScaleSet {
    let set = this.#sets.get(name);
    if (!set) {
      const record = {
        id: this.#sets.size + 1,
        name,
        runnerGroupId: 1,
        runnerGroupName: 'Default',
        labels: [name],
      };
      set = { record, assigned: 0, waiting: [], wake: new AbortController() };
      this.#sets.set(name, set);
    }
    return set;
  }

  #statistics(scaleSet: string): ScaleSetStatistics {
    let [registered, busy, idle] = [0, 0, 0];
    for (const runner of this.runners.values()) {
      if (runner.scaleSet !== scaleSet) continue;
      registered += 1;
      if (runner.status === 'busy') busy += 1;
      else if (runner.status === 'idle') idle += 1;
    }
    return {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: this.#setOf(scaleSet).assigned,
      runningJobs: busy,
      registeredRunners: registered,
      busyRunners: busy,
      idleRunners: idle,
    };
  }

  #jobOf(runner: string) {
    return {
      jobId: `job-of-${runner}`,
      runnerRequestId: 0,
      owner: 'acme',
      repository: 'web',
      workflowRef: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
      displayName: 'build',
      workflowRunId: 1,
      eventName: 'push',
      requestLabels: [],
    };
  }
}
