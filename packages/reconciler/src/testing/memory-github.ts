import {
  type CallOptions,
  type Clock,
  errorCodeOf,
  type GitHubStatus,
  type JobMessage,
  type MessageSession,
  RungarError,
  type RunnerStatuses,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
  Secret,
} from '@rungar/model';
import { factsOf, type MemoryJob, type MemoryRunner, type MemoryScaleSet, statusOf } from './memory-jobs.js';
import { MemorySession } from './memory-session.js';

const CALL_MS = 100;
const JIT_MS = 200;

/** The calls of the port that {@link MemoryGitHub.failNext} can make fail. */
export type MemoryGitHubCall =
  | 'findScaleSet'
  | 'createScaleSet'
  | 'deleteScaleSet'
  | 'openSession'
  | 'createJitConfig'
  | 'findRunner'
  | 'removeRunner'
  | 'runnerStatuses';

/** GitHub's scale sets in memory, for tests: jobs, registrations and sessions, on the clock they are given. */
export interface MemoryGitHub extends ScaleSetService {
  /**
   * Somebody pushes: a job waits for a runner of a scale set, which takes it as soon as it is online and idle.
   * @param durationMs how long it runs; it never ends unless given
   * @returns the job's id
   */
  queueJob(scaleSet: string, durationMs?: number): string;
  /** Ends a job that waits or runs, with `succeeded` unless a result is given. */
  endJob(id: string, result?: string): void;
  /** In the order they were queued. */
  jobs(): readonly Readonly<MemoryJob>[];
  /** Every registration there is. */
  runners(): readonly { readonly name: string; readonly scaleSet: string; readonly status: GitHubStatus }[];
  /** The scale sets somebody holds a session of. */
  sessions(): readonly string[];
  /** Takes a scale set's session away from whoever holds it. */
  loseSession(scaleSet: string): void;
  /**
   * A machine's runner comes online with the registration it was made with.
   * @param onDone called when it has done its one job and ends
   * @returns what takes it offline: a job it has then stays unfinished
   */
  connect(jitConfig: Secret, onDone?: () => void): () => void;
  /** The next call of that kind fails with `error` and changes nothing; several queue up. */
  failNext(call: MemoryGitHubCall, error: Error): void;
}

/**
 * Makes a GitHub in memory. Every scale set asked for exists. Calls take 100 ms of the clock's time, a registration 200 ms.
 */
export function memoryGitHub({ clock }: { readonly clock: Clock }): MemoryGitHub {
  const sets = new Map<string, MemoryScaleSet>();
  const jobs: MemoryJob[] = [];
  const runners = new Map<number, MemoryRunner>();
  const failures = new Map<MemoryGitHubCall, Error[]>();
  let lastId = 0;

  const setOf = (name: string): MemoryScaleSet => {
    let set = sets.get(name);
    if (!set) {
      const record = { id: ++lastId, name, runnerGroupId: 1, runnerGroupName: 'Default', labels: [name] };
      set = { record, session: undefined };
      sets.set(name, set);
    }
    return set;
  };

  async function call<T>(name: MemoryGitHubCall, { signal }: CallOptions, answer: () => T, ms = CALL_MS): Promise<T> {
    const failure = failures.get(name)?.shift();
    await clock.sleep(ms, signal);
    if (failure) throw failure;
    return answer();
  }

  const statisticsOf = (scaleSet: string): ScaleSetStatistics => {
    const open = jobs.filter((job) => job.scaleSet === scaleSet && job.result === undefined);
    const own = [...runners.values()].filter((runner) => runner.scaleSet === scaleSet);
    return {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: open.length,
      runningJobs: open.filter(({ runner }) => runner !== undefined).length,
      registeredRunners: own.length,
      busyRunners: own.filter(({ job }) => job).length,
      idleRunners: own.filter(({ online, job }) => online && !job).length,
    };
  };

  /** Tells whoever listens, with the numbers as they are at this moment. */
  const tell = (scaleSet: string, news: Partial<JobMessage> = {}): void => {
    const nothing = { available: [], assigned: [], started: [], completed: [], unknownKinds: [] };
    const statistics = statisticsOf(scaleSet);
    sets.get(scaleSet)?.session?.push({ id: ++lastId, ...nothing, statistics, ...news });
  };

  const start = (job: MemoryJob, runner: MemoryRunner): void => {
    runner.job = job;
    job.runner = runner.name;
    const taken = { ...factsOf(job), takenAt: clock.wallNow() };
    tell(job.scaleSet, { started: [{ ...taken, runnerId: runner.id, runnerName: runner.name }] });
    if (job.durationMs === undefined) return;
    void clock.sleep(job.durationMs).then(() => {
      if (runner.online && runner.job === job) end(job, 'succeeded');
    });
  };

  /** Hands waiting jobs to runners that are online and idle. */
  const handOut = (scaleSet: string): void => {
    for (const runner of runners.values()) {
      if (runner.scaleSet !== scaleSet || !runner.online || runner.job) continue;
      const next = jobs.find((job) => job.scaleSet === scaleSet && !job.runner && job.result === undefined);
      if (!next) return;
      start(next, runner);
    }
  };

  const end = (job: MemoryJob, result: string): void => {
    if (job.result !== undefined) return;
    job.result = result;
    const runner = [...runners.values()].find((one) => one.job === job);
    if (!runner) {
      tell(job.scaleSet);
      return;
    }
    runners.delete(runner.id);
    const finished = { ...factsOf(job), result, runnerId: runner.id, runnerName: runner.name };
    tell(job.scaleSet, { completed: [finished] });
    runner.onDone();
  };

  return {
    queueJob(scaleSet, durationMs) {
      const job: MemoryJob = {
        id: `job-${jobs.length + 1}`,
        scaleSet,
        durationMs,
        queuedAt: clock.wallNow(),
        runner: undefined,
        result: undefined,
      };
      jobs.push(job);
      tell(scaleSet, { assigned: [factsOf(job)] });
      handOut(scaleSet);
      return job.id;
    },
    endJob(id, result = 'succeeded') {
      const job = jobs.find((one) => one.id === id);
      if (!job) throw new RungarError('not_found', `no job ${id}`);
      end(job, result);
    },
    jobs: () => jobs,
    runners: () =>
      [...runners.values()].map((runner) => ({
        name: runner.name,
        scaleSet: runner.scaleSet,
        status: statusOf(runner),
      })),
    sessions: () => [...sets.values()].filter(({ session }) => session?.open).map(({ record }) => record.name),
    loseSession: (scaleSet) => sets.get(scaleSet)?.session?.lose(new RungarError('unavailable', 'the session is gone')),
    connect(jitConfig, onDone = () => {}) {
      const runner = [...runners.values()].find((one) => one.jitConfig === jitConfig.reveal());
      if (!runner) return () => {};
      runner.online = true;
      runner.onDone = onDone;
      handOut(runner.scaleSet);
      return () => {
        runner.online = false;
      };
    },
    failNext(name, error) {
      failures.set(name, [...(failures.get(name) ?? []), error]);
    },

    findScaleSet: (name, _group, options) =>
      call('findScaleSet', options, () => ({ ...setOf(name).record, statistics: statisticsOf(name) })),
    createScaleSet: (name, _group, labels, options) =>
      call('createScaleSet', options, (): ScaleSetRecord => {
        const set = setOf(name);
        set.record = { ...set.record, labels };
        return set.record;
      }),
    deleteScaleSet: (id, options) =>
      call('deleteScaleSet', options, () => {
        const set = [...sets.values()].find(({ record }) => record.id === id);
        if (!set) return;
        const own = [...runners.values()].filter(({ scaleSet }) => scaleSet === set.record.name);
        if (own.some(({ job }) => job)) throw new RungarError('busy', `runners of ${set.record.name} have jobs`);
        for (const runner of own) runners.delete(runner.id);
        sets.delete(set.record.name);
      }),
    openSession: ({ name }, _owner, options) =>
      call('openSession', options, (): MessageSession => {
        const set = setOf(name);
        if (set.session?.open) throw new RungarError('busy', `somebody holds the session of ${name}`);
        set.session = new MemorySession(clock, () => statisticsOf(name));
        return set.session;
      }),
    refusalOf(error) {
      const code = errorCodeOf(error);
      if (code === 'busy') return 'conflict';
      if (code === 'not_found') return 'scale_set_gone';
      return code === 'invalid_argument' ? 'refused' : 'no_answer';
    },
    createJitConfig: ({ name: scaleSet }, name, options) =>
      call(
        'createJitConfig',
        options,
        () => {
          if ([...runners.values()].some((one) => one.name === name))
            throw new RungarError('busy', `a runner named ${name} is registered already`);
          const id = ++lastId;
          const jitConfig = `jit-of-${id}`;
          runners.set(id, { id, name, scaleSet, jitConfig, online: false, job: undefined, onDone() {} });
          return { runnerId: id, runnerName: name, jitConfig: new Secret(jitConfig) };
        },
        JIT_MS,
      ),
    findRunner: (name, options) =>
      call('findRunner', options, () => {
        const found = [...runners.values()].find((one) => one.name === name);
        return found && { id: found.id, name, scaleSetId: setOf(found.scaleSet).record.id };
      }),
    removeRunner: (id, options) =>
      call('removeRunner', options, () => {
        const runner = runners.get(id);
        if (runner?.job) throw new RungarError('busy', `runner ${runner.name} has a job`);
        runners.delete(id);
      }),
    runnerStatuses(options) {
      const begunAt = clock.now();
      return call('runnerStatuses', options, (): RunnerStatuses => {
        const seen = [...runners.values()].map((one) => [one.name, { id: one.id, status: statusOf(one) }] as const);
        return { begunAt, pages: 1, runners: new Map(seen) };
      });
    },
    close: async () => {},
  };
}
