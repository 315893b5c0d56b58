import {
  type CallOptions,
  type Clock,
  type JitRegistration,
  type JobMessageHandler,
  type MessageSession,
  RungarError,
  type RunnerRegistration,
  type RunnerStatuses,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
  type SessionRefusal,
} from '@rungar/model';
import { type GitHubWatch, SimGitHub, type SimJob, type SimSet } from '../simulation/github.js';
import type { Piece } from '../simulation/session.js';
import { between, type Life, SECOND, type World } from '../simulation/world.js';
import type { CallCounts } from './calls.js';
import { runnerListing } from './runner-listing.js';

const GITHUB = 'github';

/** The simulated GitHub, with its calls counted, the begin of each job told, and a listing that can fail alone. */
export class WatchedGitHub extends SimGitHub {
  /** Until when the REST API, which lists the runners, does not answer. */
  restDownUntil = 0;
  readonly #calls: CallCounts;
  readonly #onBegin: (job: SimJob) => void;

  constructor(world: World, watch: GitHubWatch, calls: CallCounts, onBegin: (job: SimJob) => void) {
    super(world, watch);
    this.#calls = calls;
    this.#onBegin = onBegin;
  }

  override tell(set: SimSet, piece: Piece): void {
    if (piece.kind === 'started') this.#onBegin(piece.job);
    super.tell(set, piece);
  }

  override portFor(life: Life): ScaleSetService {
    return new CountedService(super.portFor(life), this, life, this.#calls);
  }
}

class CountedService implements ScaleSetService {
  readonly #inner: ScaleSetService;
  readonly #github: WatchedGitHub;
  readonly #life: Life;
  readonly #calls: CallCounts;
  readonly #listRunners: ScaleSetService['runnerStatuses'];

  constructor(inner: ScaleSetService, github: WatchedGitHub, life: Life, calls: CallCounts) {
    this.#inner = inner;
    this.#github = github;
    this.#life = life;
    this.#calls = calls;
    const { scheduler } = github.world;
    const clock: Clock = {
      now: () => scheduler.now,
      wallNow: () => scheduler.now,
      sleep: (ms, signal) => life.sleep(ms, signal),
    };
    this.#listRunners = runnerListing(
      clock,
      (options) => this.#askForRunners(options),
      (requests) => calls.add(GITHUB, 'runners', requests),
    );
  }

  findScaleSet(name: string, group: string, options: CallOptions): Promise<ScaleSetRecord | undefined> {
    this.#calls.add(GITHUB, 'look-up');
    return this.#inner.findScaleSet(name, group, options);
  }

  createScaleSet(
    name: string,
    group: string,
    labels: readonly string[],
    options: CallOptions,
  ): Promise<ScaleSetRecord> {
    this.#calls.add(GITHUB, 'scale set');
    return this.#inner.createScaleSet(name, group, labels, options);
  }

  deleteScaleSet(id: number, options: CallOptions): Promise<void> {
    return this.#inner.deleteScaleSet(id, options);
  }

  async openSession(record: ScaleSetRecord, owner: string, options: CallOptions): Promise<MessageSession> {
    this.#calls.add(GITHUB, 'session');
    return new CountedSession(await this.#inner.openSession(record, owner, options), this.#calls);
  }

  refusalOf(error: unknown): SessionRefusal {
    return this.#inner.refusalOf(error);
  }

  createJitConfig(record: ScaleSetRecord, name: string, options: CallOptions): Promise<JitRegistration> {
    this.#calls.add(GITHUB, 'registration');
    return this.#inner.createJitConfig(record, name, options);
  }

  findRunner(name: string, options: CallOptions): Promise<RunnerRegistration | undefined> {
    this.#calls.add(GITHUB, 'look-up');
    return this.#inner.findRunner(name, options);
  }

  removeRunner(id: number, options: CallOptions): Promise<void> {
    this.#calls.add(GITHUB, 'removal');
    return this.#inner.removeRunner(id, options);
  }

  runnerStatuses(options: Parameters<ScaleSetService['runnerStatuses']>[0]): Promise<RunnerStatuses> {
    return this.#listRunners(options);
  }

  #askForRunners(options: Parameters<ScaleSetService['runnerStatuses']>[0]): Promise<RunnerStatuses> {
    const { world, restDownUntil } = this.#github;
    if (world.scheduler.now >= restDownUntil) return this.#inner.runnerStatuses(options);
    this.#calls.add(GITHUB, 'runners');
    const error = new RungarError('unavailable', 'GitHub does not list runners');
    return this.#life.send({ replyMs: between(world, 0.1 * SECOND, 10 * SECOND), error }, options.signal, () => {
      throw error;
    });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

class CountedSession implements MessageSession {
  readonly #inner: MessageSession;
  readonly #calls: CallCounts;

  constructor(inner: MessageSession, calls: CallCounts) {
    this.#inner = inner;
    this.#calls = calls;
  }

  get id(): string {
    return this.#inner.id;
  }

  get statistics(): ScaleSetStatistics {
    return this.#inner.statistics;
  }

  listen(handler: JobMessageHandler, options: CallOptions & { capacity(): number }): Promise<never> {
    // What the session was opened with comes first, and was no poll.
    let answered = false;
    return this.#inner.listen(
      {
        onJobStarted: (job) => handler.onJobStarted(job),
        onJobCompleted: (job) => handler.onJobCompleted(job),
        onStatistics: (statistics, message) => {
          if (answered) this.#calls.add(GITHUB, 'poll');
          answered = true;
          // Each message is taken off the queue with a call of its own.
          if (message) this.#calls.add(GITHUB, 'message');
          handler.onStatistics(statistics, message);
        },
      },
      options,
    );
  }

  close(): Promise<void> {
    this.#calls.add(GITHUB, 'session');
    return this.#inner.close();
  }
}
