import type { JobResult } from '../machine/runner-client.js';
import { randomUuid } from '../random.js';
import type { Job, Runner, ScaleSet } from './entities.js';
import { jobMessage } from './job-messages.js';
import { viewJob, viewRunner } from './views.js';
import { covers, type World } from './world.js';

/** A job to queue. */
export interface NewJob {
  /** `owner/name`. Default: a repository `demo` of the first organisation. */
  readonly repository?: string;
  /** The workflow's file name without its extension. Default `build`. */
  readonly workflow?: string;
  /** What the job's `runs-on` asks for. */
  readonly labels: readonly string[];
  /** How long it runs. Default 5. */
  readonly seconds?: number;
  /** What it is called. Default `<workflow> <number>`. */
  readonly name?: string;
  /** The workflow run it belongs to. Default one of its own. */
  readonly runId?: number;
  /** Whether it ends badly. Default false. */
  readonly fail?: boolean;
}

/** Queued jobs that the same scale sets can take, oldest first. */
interface Line {
  readonly repository: string;
  readonly labels: readonly string[];
  readonly jobs: Set<Job>;
}

const DEFAULT_SECONDS = 5;
const noTimer = (): void => {};

/** Brings jobs to scale sets and runners, and follows them to their end. */
export class JobBoard {
  readonly #world: World;
  readonly #lines = new Map<string, Line>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Queues jobs in one go. */
  queue(news: readonly NewJob[]): Job[] {
    const jobs = news.map((job) => this.#newJob(job));
    for (const job of jobs) {
      this.#world.jobs.set(job.id, job);
      this.#lineUp(job);
      this.#tell(job, 'queued');
    }
    this.settle();
    return jobs;
  }

  /** Does everything that can be done now: gives jobs to scale sets, and to the runners that wait for them. */
  settle(): void {
    for (const scaleSet of this.#world.scaleSets.values()) this.#fill(scaleSet);
    for (const scaleSet of this.#world.scaleSets.values()) this.#serve(scaleSet);
  }

  /** Takes offered jobs for the scale set. The ids of those that were really there. */
  acquire(scaleSet: ScaleSet, requestIds: readonly number[]): number[] {
    const taken = [...scaleSet.offered].filter(({ requestId }) => requestIds.includes(requestId));
    for (const job of taken) {
      scaleSet.offered.delete(job);
      this.#assign(job, scaleSet);
    }
    this.settle();
    return taken.map(({ requestId }) => requestId);
  }

  /** Ends a job, or asks its runner to. One that has ended stays as it is. */
  cancel(job: Job): void {
    if (job.state === 'completed') return;
    if (job.runner) {
      job.cancelAsked = true;
      job.runner.bell.ring();
      return;
    }
    job.stopTimer();
    this.#line(job)?.jobs.delete(job);
    this.#complete(job, 'canceled');
    this.settle();
  }

  /** The end of a job on a runner. */
  finish(job: Job, result: JobResult): void {
    this.#complete(job, result);
    this.settle();
  }

  /** Puts the jobs of a scale set that is gone back into the queue. */
  release(scaleSet: ScaleSet): void {
    for (const job of [...scaleSet.offered, ...scaleSet.assigned]) this.#lineUp(job);
    scaleSet.offered.clear();
    scaleSet.assigned.clear();
  }

  #newJob(given: NewJob): Job {
    const { clock, random, settings, scopes } = this.#world;
    const order = this.#world.take('job');
    const workflow = given.workflow ?? 'build';
    const owner = scopes.find(({ kind }) => kind !== 'enterprise')?.path.split('/')[0] ?? 'acme';
    return {
      id: randomUuid(random),
      order,
      runId: given.runId ?? 9_000_000_000 + order,
      name: given.name ?? `${workflow} ${order}`,
      repository: given.repository ?? `${owner}/demo`,
      workflow,
      labels: [...given.labels],
      seconds: given.seconds ?? DEFAULT_SECONDS,
      fail: given.fail ?? false,
      queuedAt: clock.now(),
      state: 'queued',
      requestId: settings.personality === 'acquire' ? this.#world.take('request') : 0,
      scaleSet: undefined,
      runner: undefined,
      cancelAsked: false,
      requeued: 0,
      offeredAt: undefined,
      assignedAt: undefined,
      startedAt: undefined,
      finishedAt: undefined,
      result: undefined,
      stopTimer: noTimer,
    };
  }

  #lineUp(job: Job): void {
    job.stopTimer();
    job.state = 'queued';
    job.scaleSet = undefined;
    job.assignedAt = undefined;
    const key = lineKey(job);
    const line = this.#lines.get(key) ?? { repository: job.repository, labels: job.labels, jobs: new Set() };
    line.jobs.add(job);
    this.#lines.set(key, line);
  }

  #line(job: Job): Line | undefined {
    return this.#lines.get(lineKey(job));
  }

  /** Gives a scale set the oldest jobs it can take, as many as its listener has said it has room for. */
  #fill(scaleSet: ScaleSet): void {
    const capacity = scaleSet.session?.capacity ?? 0;
    for (let held = load(scaleSet); held < capacity; held += 1) {
      const job = this.#oldestFor(scaleSet);
      if (!job) return;
      this.#line(job)?.jobs.delete(job);
      if (job.requestId === 0) this.#assign(job, scaleSet);
      else this.#offer(job, scaleSet);
    }
  }

  #oldestFor(scaleSet: ScaleSet): Job | undefined {
    let oldest: Job | undefined;
    for (const line of this.#lines.values()) {
      const [head] = line.jobs;
      if (head && (!oldest || head.order < oldest.order) && canTake(scaleSet, line)) oldest = head;
    }
    return oldest;
  }

  #offer(job: Job, scaleSet: ScaleSet): void {
    job.state = 'available';
    job.scaleSet = scaleSet;
    job.offeredAt = this.#world.clock.now();
    scaleSet.offered.add(job);
    scaleSet.queue.push(jobMessage('JobAvailable', job));
    this.#tell(job, 'offered');
  }

  #assign(job: Job, scaleSet: ScaleSet): void {
    const { clock, settings } = this.#world;
    job.state = 'assigned';
    job.scaleSet = scaleSet;
    job.assignedAt = clock.now();
    job.stopTimer = clock.after(settings.assignmentTimeoutMs, () => this.#takeBack(job, scaleSet));
    scaleSet.assigned.add(job);
    scaleSet.queue.push(jobMessage('JobAssigned', job));
    this.#tell(job, 'assigned');
  }

  /** Nobody took the job in time: its assignment ends, and it is queued again a little later. */
  #takeBack(job: Job, scaleSet: ScaleSet): void {
    if (job.requeued >= this.#world.settings.requeues) {
      this.#complete(job, 'canceled');
    } else {
      job.requeued += 1;
      scaleSet.assigned.delete(job);
      scaleSet.queue.push(jobMessage('JobCompleted', job, { result: 'canceled', at: this.#world.clock.now() }));
      job.state = 'queued';
      job.scaleSet = undefined;
      job.assignedAt = undefined;
      job.stopTimer = this.#world.clock.after(this.#world.settings.requeueDelayMs * job.requeued, () => {
        this.#lineUp(job);
        this.settle();
      });
      this.#tell(job, 'requeued');
    }
    this.settle();
  }

  /** Gives the scale set's oldest assigned jobs to the runners that wait for one. */
  #serve(scaleSet: ScaleSet): void {
    if (scaleSet.assigned.size === 0) return;
    for (const runner of scaleSet.runners) {
      const [job] = scaleSet.assigned;
      if (!job) return;
      if (runner.waiting && !runner.job) this.#start(job, runner);
    }
  }

  #start(job: Job, runner: Runner): void {
    const { clock, events, settings } = this.#world;
    const { scaleSet } = runner;
    job.stopTimer();
    job.state = 'running';
    job.runner = runner;
    job.startedAt = clock.now();
    runner.job = job;
    scaleSet.assigned.delete(job);
    scaleSet.running.add(job);
    const message = jobMessage('JobStarted', job);
    if (settings.jobStartedDelayMs === 0) scaleSet.queue.push(message);
    else clock.after(settings.jobStartedDelayMs, () => scaleSet.queue.push(message));
    runner.bell.ring();
    this.#tell(job, 'started');
    events.emit({ at: clock.now(), type: 'runner', change: 'busy', runner: viewRunner(runner) });
  }

  #complete(job: Job, result: JobResult): void {
    const { scaleSet } = job;
    job.state = 'completed';
    job.result = result;
    job.finishedAt = this.#world.clock.now();
    if (scaleSet) {
      scaleSet.offered.delete(job);
      scaleSet.assigned.delete(job);
      scaleSet.running.delete(job);
      scaleSet.queue.push(jobMessage('JobCompleted', job, { result, at: job.finishedAt }));
    }
    this.#tell(job, 'completed');
  }

  #tell(job: Job, change: 'queued' | 'offered' | 'assigned' | 'started' | 'completed' | 'requeued'): void {
    this.#world.events.emit({ at: this.#world.clock.now(), type: 'job', change, job: viewJob(job) });
  }
}

/** How many jobs a scale set has, offered ones included. */
function load(scaleSet: ScaleSet): number {
  return scaleSet.offered.size + scaleSet.assigned.size + scaleSet.running.size;
}

function canTake(scaleSet: ScaleSet, { repository, labels }: Line): boolean {
  const own = new Set(scaleSet.labels.map(({ name }) => name.toLowerCase()));
  return covers(scaleSet.scope, repository) && labels.every((label) => own.has(label.toLowerCase()));
}

function lineKey({ repository, labels }: Job): string {
  return JSON.stringify([repository.toLowerCase(), ...labels.map((label) => label.toLowerCase()).sort()]);
}
