import {
  type CallOptions,
  type GitHubStatus,
  isRungarError,
  type JitRegistration,
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
import type { Fault } from './faults.js';
import { type Piece, type SessionPort, SimSession } from './session.js';
import { between, type CallPlan, hit, type Life, MINUTE, note, SECOND, type World } from './world.js';

export interface SimJob {
  readonly id: string;
  readonly scaleSet: string;
  readonly durationMs: number;
  readonly queuedAt: number;
  takenAt: number;
  runner: SimRunner | undefined;
  /** How it ended; nothing while it waits or runs. */
  result: 'succeeded' | 'canceled' | 'lost' | undefined;
  /** The simulation itself has taken its runner away: its end is nobody's fault. */
  doomed: boolean;
}

export interface SimRunner {
  readonly id: number;
  readonly name: string;
  readonly setId: number;
  readonly scaleSet: string;
  /** Not made by any daemon. */
  readonly foreign: boolean;
  readonly registeredAt: number;
  online: boolean;
  onlineSince: number | undefined;
  /** Since when it has not been there for longer than a moment. */
  offlineSince: number;
  everOnline: boolean;
  job: SimJob | undefined;
  /** Ends the process on its machine. */
  exit: () => void;
}

/** A scale set as GitHub has it, and the jobs for its label. */
export interface SimSet {
  readonly name: string;
  /** 0 while GitHub does not have it. */
  id: number;
  session: SimSession | undefined;
  readonly waiting: SimJob[];
  readonly idle: Set<SimRunner>;
  readonly registered: Set<SimRunner>;
  readonly pieces: Piece[];
  running: number;
  /** When it was last taken away. */
  vanishedAt: number;
  /** When a job last began. */
  lastBeginAt: number;
}

/** What the invariants are told about. */
export interface GitHubWatch {
  onJitCall(life: Life, scaleSet: string, name: string): void;
  onRemovalCall(life: Life, runner: SimRunner | undefined, id: number): void;
  onRemoved(life: Life, runner: SimRunner): void;
  onJobLost(job: SimJob, runner: SimRunner): void;
  onSession(life: Life, scaleSet: string, held: boolean): void;
}

const LISTING_YOUNG_MS = 15 * SECOND;
/** Ids of the REST listing are not those the scale set service removes by. */
const REST_ID_OFFSET = 1_000_000_000;

/** GitHub: scale sets, sessions, registrations and jobs. */
export class SimGitHub {
  readonly sets = new Map<string, SimSet>();
  readonly runners = new Map<number, SimRunner>();
  readonly byName = new Map<string, SimRunner>();
  readonly jobs = { queued: 0, ended: 0, succeeded: 0, canceled: 0, doomed: 0 };
  readonly open = new Set<SimJob>();
  downUntil = 0;
  readonly world: World;
  readonly watch: GitHubWatch;
  #nextId = 100;

  constructor(world: World, watch: GitHubWatch) {
    this.world = world;
    this.watch = watch;
  }

  newId(): number {
    return ++this.#nextId;
  }

  get isDown(): boolean {
    return this.world.scheduler.now < this.downUntil;
  }

  /** Nothing of it answers for that long. */
  goDown(ms: number): void {
    const { scheduler } = this.world;
    this.downUntil = scheduler.now + ms;
    scheduler.after(ms + 1, () => {
      for (const set of this.sets.values()) this.match(set);
    });
  }

  set(name: string): SimSet {
    let set = this.sets.get(name);
    if (!set) {
      set = {
        name,
        id: 0,
        session: undefined,
        waiting: [],
        idle: new Set(),
        registered: new Set(),
        pieces: [],
        running: 0,
        vanishedAt: Number.NEGATIVE_INFINITY,
        lastBeginAt: 0,
      };
      this.sets.set(name, set);
    }
    return set;
  }

  statistics(set: SimSet): ScaleSetStatistics {
    return {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: set.waiting.length + set.running,
      runningJobs: set.running,
      registeredRunners: set.registered.size,
      busyRunners: set.running,
      idleRunners: set.idle.size,
    };
  }

  queueJob(scaleSet: string, durationMs: number): void {
    const { scheduler } = this.world;
    const set = this.set(scaleSet);
    const job: SimJob = {
      id: `j${++this.jobs.queued}`,
      scaleSet,
      durationMs,
      queuedAt: scheduler.now,
      takenAt: 0,
      runner: undefined,
      result: undefined,
      doomed: false,
    };
    this.open.add(job);
    set.waiting.push(job);
    this.tell(set, { kind: 'assigned', job });
    this.match(set);
  }

  cancelWaiting(set: SimSet, count: number): void {
    for (const job of set.waiting.splice(0, count)) {
      this.#end(job, 'canceled');
      this.tell(set, { kind: 'completed', job, result: 'canceled', runner: undefined });
    }
  }

  tell(set: SimSet, piece: Piece): void {
    if (set.pieces.length > 400) set.pieces.splice(0, 200);
    set.pieces.push(piece);
    set.session?.stir();
  }

  /** Gives waiting jobs to runners that wait for one. */
  match(set: SimSet): void {
    if (this.isDown) return;
    while (set.waiting.length > 0) {
      const [runner] = set.idle;
      if (!runner) return;
      const job = set.waiting.shift();
      if (!job) return;
      this.#start(set, job, runner);
    }
  }

  #start(set: SimSet, job: SimJob, runner: SimRunner): void {
    const { scheduler } = this.world;
    set.idle.delete(runner);
    runner.job = job;
    job.runner = runner;
    job.takenAt = scheduler.now;
    set.running++;
    set.lastBeginAt = scheduler.now;
    note(this.world, 'job begins', runner.name, job.id);
    this.tell(set, { kind: 'started', job, runner });
    scheduler.after(job.durationMs, () => this.#finish(job));
  }

  /** A job has run its time. While its runner cannot reach GitHub, the end waits. */
  #finish(job: SimJob): void {
    const { runner } = job;
    if (!runner || job.result !== undefined || runner.job !== job) return;
    if (!runner.online || this.isDown) {
      this.world.scheduler.after(5 * SECOND, () => this.#finish(job));
      return;
    }
    this.#conclude(job, runner, 'succeeded');
    runner.exit();
  }

  #conclude(job: SimJob, runner: SimRunner, result: 'succeeded' | 'lost'): void {
    const set = this.set(job.scaleSet);
    note(this.world, 'job ends', runner.name, `${job.id} ${result}`);
    set.running--;
    if (result === 'lost' && !job.doomed) this.watch.onJobLost(job, runner);
    this.#end(job, result);
    runner.job = undefined;
    this.forget(runner);
    this.tell(set, { kind: 'completed', job, result: result === 'lost' ? 'failed' : result, runner });
  }

  #end(job: SimJob, result: 'succeeded' | 'canceled' | 'lost'): void {
    job.result = result;
    this.open.delete(job);
    this.jobs.ended++;
    if (result === 'succeeded') this.jobs.succeeded++;
    if (result === 'canceled') this.jobs.canceled++;
    if (result === 'lost') this.jobs.doomed++;
  }

  register(name: string, set: SimSet, foreign = false): SimRunner {
    const { now } = this.world.scheduler;
    const runner: SimRunner = {
      id: ++this.#nextId,
      name,
      setId: foreign ? 0 : set.id,
      scaleSet: set.name,
      foreign,
      registeredAt: now,
      online: false,
      onlineSince: undefined,
      offlineSince: now,
      everOnline: false,
      job: undefined,
      exit() {},
    };
    this.runners.set(runner.id, runner);
    this.byName.set(name, runner);
    if (!foreign) set.registered.add(runner);
    return runner;
  }

  /** The registration is no more. */
  forget(runner: SimRunner): void {
    this.runners.delete(runner.id);
    if (this.byName.get(runner.name) === runner) this.byName.delete(runner.name);
    const set = this.set(runner.scaleSet);
    set.registered.delete(runner);
    set.idle.delete(runner);
    runner.online = false;
  }

  /** A machine's runner has started. @returns whether GitHub took it */
  connect(id: number, exit: () => void): SimRunner | undefined {
    const runner = this.runners.get(id);
    if (!runner) return undefined;
    const set = this.set(runner.scaleSet);
    runner.exit = exit;
    this.goOnline(runner);
    note(this.world, 'runner connects', runner.name);
    this.match(set);
    return runner;
  }

  goOnline(runner: SimRunner): void {
    if (runner.online || this.runners.get(runner.id) !== runner) return;
    runner.online = true;
    runner.everOnline = true;
    runner.onlineSince = this.world.scheduler.now;
    const set = this.set(runner.scaleSet);
    if (!runner.job && !runner.foreign && set.id === runner.setId) {
      set.idle.add(runner);
      this.match(set);
    }
  }

  goOffline(runner: SimRunner): void {
    if (!runner.online) return;
    const { now } = this.world.scheduler;
    // Connected for a moment in between is not worth much: nobody may have seen it.
    if (now - (runner.onlineSince ?? now) > 2 * MINUTE || runner.offlineSince === runner.registeredAt)
      runner.offlineSince = now;
    runner.online = false;
    this.set(runner.scaleSet).idle.delete(runner);
    note(this.world, 'runner offline', runner.name);
  }

  /** Its machine is gone: the job fails after a while, and the registration goes, or stays for nothing. */
  lostMachine(runner: SimRunner): void {
    const { scheduler } = this.world;
    this.goOffline(runner);
    runner.exit = () => {};
    const { job } = runner;
    if (!job) return;
    scheduler.after(between(this.world, 20 * SECOND, 5 * MINUTE), () => {
      if (job.result === undefined) this.#conclude(job, runner, 'lost');
    });
  }

  /** Somebody has removed the scale set at GitHub, registrations and all; its jobs wait for a new one. */
  vanish(set: SimSet): void {
    note(this.world, 'scale set vanishes', set.name);
    set.id = 0;
    set.vanishedAt = this.world.scheduler.now;
    set.session?.lose('the scale set is gone');
    for (const runner of [...set.registered]) {
      const { job } = runner;
      if (job) {
        job.doomed = true;
        set.running--;
        this.#end(job, 'lost');
        runner.job = undefined;
      }
      this.forget(runner);
      runner.exit();
    }
  }

  /** The port, as one daemon uses it. */
  portFor(life: Life): ScaleSetService {
    return new GitHubPort(this, life);
  }
}

const unavailable = (why: string): RungarError => new RungarError('unavailable', why);

class GitHubPort implements ScaleSetService {
  readonly #github: SimGitHub;
  readonly #life: Life;
  readonly #world: World;
  #listing: { at: number; answer: Promise<RunnerStatuses> } | undefined;

  constructor(github: SimGitHub, life: Life) {
    this.#github = github;
    this.#life = life;
    this.#world = github.world;
  }

  findScaleSet(name: string, _group: string, { signal }: CallOptions): Promise<ScaleSetRecord | undefined> {
    return this.#send('look-up', name, signal, () => {
      const set = this.#github.set(name);
      return set.id === 0 ? undefined : this.#record(set);
    });
  }

  createScaleSet(
    name: string,
    _group: string,
    _labels: readonly string[],
    { signal }: CallOptions,
  ): Promise<ScaleSetRecord> {
    return this.#send('scale set', name, signal, () => {
      const set = this.#github.set(name);
      if (set.id === 0) set.id = this.#github.newId();
      return this.#record(set);
    });
  }

  openSession(record: ScaleSetRecord, _owner: string, { signal }: CallOptions): Promise<MessageSession> {
    const plan = this.#plan();
    const lost = plan.error !== undefined || plan.replyMs === undefined;
    return this.#life
      .send(plan, signal, () => {
        const set = this.#github.set(record.name);
        if (set.id !== record.id) throw new RungarError('not_found', `no scale set ${record.id}`);
        if (set.session?.open) throw new RungarError('busy', `the session of ${set.name} is held`);
        const port: SessionPort = { github: this.#github, set, life: this.#life };
        const session = new SimSession(port);
        set.session = session;
        note(this.#world, 'session opens', set.name, this.#life.name);
        if (lost || this.#life.over) session.expireSoon();
        return session;
      })
      .then((session) => {
        this.#github.watch.onSession(this.#life, record.name, true);
        return session;
      });
  }

  refusalOf(error: unknown): SessionRefusal {
    if (!isRungarError(error)) return 'no_answer';
    if (error.code === 'busy') return 'conflict';
    if (error.code === 'not_found') return 'scale_set_gone';
    return error.code === 'invalid_argument' ? 'refused' : 'no_answer';
  }

  createJitConfig(record: ScaleSetRecord, name: string, { signal }: CallOptions): Promise<JitRegistration> {
    if (this.#life.over) return new Promise<never>(() => {});
    this.#github.watch.onJitCall(this.#life, record.name, name);
    return this.#send('registration', name, signal, () => {
      const set = this.#github.set(record.name);
      if (set.id !== record.id) throw new RungarError('not_found', `no scale set ${record.id}`);
      if (this.#github.byName.has(name)) throw new RungarError('busy', `a runner named ${name} exists`);
      const runner = this.#github.register(name, set);
      note(this.#world, 'registered', name, `${this.#life.name} ${runner.id}`);
      return { runnerId: runner.id, runnerName: name, jitConfig: new Secret(`jit-of-${runner.id}`) };
    });
  }

  findRunner(name: string, { signal }: CallOptions): Promise<RunnerRegistration | undefined> {
    return this.#send('look-up', name, signal, () => {
      const runner = this.#github.byName.get(name);
      return runner && { id: runner.id, name, scaleSetId: runner.setId };
    });
  }

  removeRunner(id: number, { signal }: CallOptions): Promise<void> {
    if (this.#life.over) return new Promise<never>(() => {});
    const asked = this.#github.runners.get(id);
    this.#github.watch.onRemovalCall(this.#life, asked, id);
    return this.#send('removal', asked?.name ?? String(id), signal, () => {
      const runner = this.#github.runners.get(id);
      if (!runner) return;
      if (runner.job) throw new RungarError('busy', `runner ${runner.name} has a job`);
      note(this.#world, 'registration removed', runner.name, this.#life.name);
      this.#github.forget(runner);
      this.#github.watch.onRemoved(this.#life, runner);
      runner.exit();
    });
  }

  runnerStatuses(
    options: CallOptions & { readonly begunAfter?: number; readonly only?: readonly string[] },
  ): Promise<RunnerStatuses> {
    const { now } = this.#world.scheduler;
    const { begunAfter = Number.NEGATIVE_INFINITY, only } = options;
    const shared = this.#listing;
    if (shared && now - shared.at < LISTING_YOUNG_MS && shared.at > begunAfter) return shared.answer;
    const pages = hit(this.#world, 'runner missed between pages', 0.02) ? 2 : 1;
    const answer = this.#send('listing', only ? 'some' : 'all', options.signal, () => this.#list(now, pages, only));
    if (only) return answer;
    const listing = { at: now, answer };
    this.#listing = listing;
    answer.catch(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    return answer;
  }

  deleteScaleSet(): Promise<void> {
    return Promise.reject(new RungarError('invalid_argument', 'no daemon asks for that by itself'));
  }

  async close(): Promise<void> {}

  #list(begunAt: number, pages: number, only: readonly string[] | undefined): RunnerStatuses {
    const runners = new Map<string, { id: number; status: Exclude<GitHubStatus, 'not_registered'> }>();
    const add = ({ id, name, online, job }: SimRunner): void => {
      const status = online && job ? 'busy' : online ? 'idle' : 'offline';
      runners.set(name, { id: id + REST_ID_OFFSET, status });
    };
    if (only) {
      for (const name of only) {
        const runner = this.#github.byName.get(name);
        if (runner) add(runner);
      }
    } else for (const runner of this.#github.runners.values()) add(runner);
    if (pages > 1) {
      const unlucky = [...runners.keys()][Math.floor(this.#world.random.fraction() * runners.size)];
      if (unlucky !== undefined) runners.delete(unlucky);
    }
    return { begunAt, pages, runners };
  }

  #record(set: SimSet): ScaleSetRecord {
    return {
      id: set.id,
      name: set.name,
      runnerGroupId: 1,
      runnerGroupName: 'Default',
      labels: [set.name],
      statistics: this.#github.statistics(set),
    };
  }

  #send<T>(kind: string, subject: string, signal: AbortSignal | undefined, effect: () => T): Promise<T> {
    const plan = this.#plan();
    if (plan.error) note(this.#world, `${kind} fails`, subject, `${this.#life.name} ${plan.error.message}`);
    return this.#life.send(plan, signal, effect);
  }

  #plan(): CallPlan {
    const world = this.#world;
    const ms = between(world, 40, 300);
    if (this.#github.isDown) return { replyMs: between(world, 100, 10_000), error: unavailable('GitHub is down') };
    const fault = FAULTY.find(({ fault, share }) => hit(world, fault, share));
    switch (fault?.fault) {
      case 'github 4xx':
        return { replyMs: ms, error: new RungarError('invalid_argument', 'GitHub says 403') };
      case 'github 5xx':
        return { replyMs: ms, error: unavailable('GitHub says 503') };
      case 'github no answer':
        return world.random.fraction() < 0.5 ? { effectMs: ms } : {};
      case 'github answer lost':
        return { effectMs: ms / 2, replyMs: ms, error: unavailable('the answer was lost') };
      case 'github slow':
        return { effectMs: between(world, 100, 20_000), replyMs: between(world, 20_000, 50_000) };
      default:
        return { effectMs: ms / 2, replyMs: ms };
    }
  }
}

const FAULTY: readonly { readonly fault: Fault; readonly share: number }[] = [
  { fault: 'github 4xx', share: 0.004 },
  { fault: 'github 5xx', share: 0.03 },
  { fault: 'github no answer', share: 0.008 },
  { fault: 'github answer lost', share: 0.02 },
  { fault: 'github slow', share: 0.008 },
];
