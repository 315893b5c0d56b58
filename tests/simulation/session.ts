import {
  type CallOptions,
  type JobCompleted,
  type JobFacts,
  type JobMessage,
  type JobMessageHandler,
  type JobStarted,
  type MessageSession,
  RungarError,
  type ScaleSetStatistics,
} from '@rungar/model';
import type { SimGitHub, SimJob, SimRunner, SimSet } from './github.js';
import type { Timer } from './scheduler.js';
import { between, hit, type Life, note, SECOND, type World } from './world.js';

/** One thing to tell of a job. */
export type Piece =
  | { readonly kind: 'assigned'; readonly job: SimJob }
  | { readonly kind: 'started'; readonly job: SimJob; readonly runner: SimRunner }
  | {
      readonly kind: 'completed';
      readonly job: SimJob;
      readonly result: string;
      readonly runner: SimRunner | undefined;
    };

export interface SessionPort {
  readonly github: SimGitHub;
  readonly set: SimSet;
  /** Nobody we know, if it is somebody else's. */
  readonly life: Life | undefined;
}

interface Listener {
  readonly handler: JobMessageHandler;
  readonly capacity: () => number;
  readonly end: (error: unknown) => void;
}

const HOLD_MS = 50 * SECOND;
const SILENCE_MS = 45 * SECOND;
const MOST_PIECES = 50;

/** The message session of one scale set: polls, and everything that can happen to what they bring. */
export class SimSession implements MessageSession {
  readonly id = 'session';
  readonly statistics: ScaleSetStatistics;
  /** Whether GitHub still has it. */
  open = true;
  readonly #port: SessionPort;
  readonly #world: World;
  #listener: Listener | undefined;
  #idle: Timer | undefined;
  #silentSince: number | undefined;
  #messages = 0;

  constructor(port: SessionPort) {
    this.#port = port;
    this.#world = port.github.world;
    this.statistics = port.github.statistics(port.set);
  }

  /** GitHub gives it away: the next poll says so. */
  lose(why: string): void {
    if (!this.open) return;
    this.open = false;
    note(this.#world, 'session lost', this.#port.set.name, why);
    if (this.#idle) this.#soon(() => this.#poll());
  }

  /** Nobody polls any more: GitHub gives it away after about a minute. */
  expireSoon(): void {
    this.#world.scheduler.after(between(this.#world, 60 * SECOND, 90 * SECOND), () => {
      if (!this.#listener) this.lose('nobody polls');
    });
  }

  /** There is something to tell. */
  stir(): void {
    if (this.#idle) this.#soon(() => this.#poll());
  }

  listen(handler: JobMessageHandler, { signal, capacity }: CallOptions & { capacity(): number }): Promise<never> {
    const { life } = this.#port;
    if (!life || life.over) return new Promise<never>(() => {});
    return new Promise((_, reject) => {
      const onAbort = (): void => end(signal.reason);
      const end = (error: unknown): void => {
        signal.removeEventListener('abort', onAbort);
        if (!this.#listener) return;
        this.#listener = undefined;
        this.#world.scheduler.cancel(this.#idle);
        this.#idle = undefined;
        if (this.open) this.expireSoon();
        if (life.over) return;
        this.#port.github.watch.onSession(life, this.#port.set.name, false);
        this.#world.scheduler.wake();
        reject(error);
      };
      this.#listener = { handler, capacity, end };
      if (signal.aborted) return end(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      handler.onStatistics(this.statistics, undefined);
      this.#poll();
    });
  }

  async close(): Promise<void> {
    const { life, set, github } = this.#port;
    if (!life || life.over) return;
    github.watch.onSession(life, set.name, false);
    const ms = between(this.#world, 50, 200);
    const error = github.isDown ? new RungarError('unavailable', 'GitHub is down') : undefined;
    // One that nobody ever listened to is given away as well.
    if (error) this.expireSoon();
    await life.send({ effectMs: ms, replyMs: ms, ...(error && { error }) }, undefined, () => {
      if (!this.open || error) return;
      this.open = false;
      note(this.#world, 'session closed', set.name, life.name);
    });
  }

  /** The daemon behind it has died. */
  orphan(): void {
    this.#listener = undefined;
    this.expireSoon();
  }

  get life(): Life | undefined {
    return this.#port.life;
  }

  #soon(run: () => void): void {
    const { scheduler } = this.#world;
    scheduler.cancel(this.#idle);
    this.#idle = undefined;
    scheduler.after(between(this.#world, 20, 250), run);
  }

  #poll(): void {
    const listener = this.#listener;
    const { github, set, life } = this.#port;
    if (!listener || life?.over) return;
    const { scheduler } = this.#world;
    if (github.isDown) {
      this.#silentSince ??= scheduler.now;
      if (scheduler.now - this.#silentSince >= SILENCE_MS) {
        listener.end(new RungarError('unavailable', 'GitHub does not answer polls'));
        return;
      }
      this.#idle = scheduler.after(5 * SECOND, () => this.#poll());
      return;
    }
    this.#silentSince = undefined;
    if (!this.open) {
      listener.end(new RungarError('unavailable', 'the session is gone'));
      return;
    }
    listener.capacity();
    if (set.pieces.length > 0) this.#send(this.#take());
    else {
      scheduler.cancel(this.#idle);
      this.#idle = scheduler.after(HOLD_MS, () => {
        this.#idle = undefined;
        this.#send([]);
      });
    }
  }

  #take(): Piece[] {
    const { set } = this.#port;
    const world = this.#world;
    if (hit(world, 'messages reordered', 0.05)) {
      for (let at = set.pieces.length - 1; at > 0; at--) {
        const other = Math.floor(world.random.fraction() * (at + 1));
        const [a, b] = [set.pieces[at], set.pieces[other]];
        if (a && b) [set.pieces[at], set.pieces[other]] = [b, a];
      }
    }
    const pieces = set.pieces.splice(0, MOST_PIECES);
    if (hit(world, 'message repeated', 0.03)) {
      world.scheduler.after(between(world, 100, 90 * SECOND), () => {
        set.pieces.push(...pieces);
        set.session?.stir();
      });
    }
    return hit(world, 'message lost', 0.03) ? [] : pieces;
  }

  #send(pieces: readonly Piece[]): void {
    const world = this.#world;
    const message = pieces.length === 0 ? undefined : this.#message(pieces);
    const statistics = message?.statistics ?? this.#port.github.statistics(this.#port.set);
    const ms = hit(world, 'message delayed', 0.03) ? between(world, SECOND, 20 * SECOND) : between(world, 20, 200);
    world.scheduler.after(ms, () => {
      const listener = this.#listener;
      if (!listener || this.#port.life?.over) return;
      world.scheduler.wake();
      for (const job of message?.started ?? []) listener.handler.onJobStarted(job);
      for (const job of message?.completed ?? []) listener.handler.onJobCompleted(job);
      listener.handler.onStatistics(statistics, message);
      this.#poll();
    });
  }

  #message(pieces: readonly Piece[]): JobMessage {
    const { github, set } = this.#port;
    const assigned: JobFacts[] = [];
    const started: JobStarted[] = [];
    const completed: JobCompleted[] = [];
    for (const piece of pieces) {
      const facts = factsOf(piece.job);
      if (piece.kind === 'assigned') assigned.push(facts);
      else {
        const runner = { runnerId: piece.runner?.id ?? 0, runnerName: piece.runner?.name ?? '' };
        if (piece.kind === 'started') started.push({ ...facts, ...runner });
        else completed.push({ ...facts, ...runner, result: piece.result });
      }
    }
    const statistics = github.statistics(set);
    const contradicts = assigned.length > 0 && hit(this.#world, 'numbers contradict', 0.02);
    return {
      id: ++this.#messages,
      statistics: contradicts ? { ...statistics, assignedJobs: 0 } : statistics,
      available: [],
      assigned,
      started,
      completed,
      unknownKinds: hit(this.#world, 'unknown message', 0.01) ? ['JobMused'] : [],
    };
  }
}

function factsOf(job: SimJob): JobFacts {
  return {
    jobId: job.id,
    runnerRequestId: 0,
    owner: 'acme',
    repository: 'app',
    workflowRef: 'ci.yml',
    displayName: job.id,
    workflowRunId: 1,
    eventName: 'push',
    requestLabels: [job.scaleSet],
    queuedAt: job.queuedAt,
    assignedAt: job.queuedAt,
    ...(job.takenAt > 0 && { takenAt: job.takenAt }),
  };
}
