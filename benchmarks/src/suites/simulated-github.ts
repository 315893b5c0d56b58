import {
  type Clock,
  type JobMessageHandler,
  type MessageSession,
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

export interface SimulatedGitHub extends ScaleSetService {
  /** Assigns jobs to a scale set that is listened to. Nobody ever runs them. */
  assignJobs(scaleSet: string, count: number): void;
  /** Registrations made. */
  readonly registrations: number;
}

/** GitHub's scale-set service on a clock of its own, with the latencies the targets are stated for. Runners never connect. */
export function simulatedGitHub(clock: Clock): SimulatedGitHub {
  const records = new Map<string, ScaleSetRecord>();
  const assigned = new Map<string, number>();
  const listeners = new Map<string, JobMessageHandler>();
  const registered = new Map<string, number>();
  let registrations = 0;

  const recordOf = (name: string): ScaleSetRecord => {
    let record = records.get(name);
    if (!record) {
      record = { id: records.size + 1, name, runnerGroupId: 1, runnerGroupName: 'Default', labels: [name] };
      records.set(name, record);
    }
    return record;
  };

  const statistics = (name: string): ScaleSetStatistics => ({
    availableJobs: 0,
    acquiredJobs: 0,
    assignedJobs: assigned.get(name) ?? 0,
    runningJobs: 0,
    registeredRunners: registered.size,
    busyRunners: 0,
    idleRunners: 0,
  });

  const sessionOf = (name: string): MessageSession => ({
    id: name,
    get statistics() {
      return statistics(name);
    },
    async listen(handler, { signal, capacity }) {
      listeners.set(name, handler);
      handler.onStatistics(statistics(name), undefined);
      for (;;) {
        capacity();
        await clock.sleep(POLL_MS, signal);
      }
    },
    close: () => clock.sleep(CALL_MS),
  });

  return {
    assignJobs(name, count) {
      assigned.set(name, count);
      listeners.get(name)?.onStatistics(statistics(name), undefined);
    },
    get registrations() {
      return registrations;
    },
    async findScaleSet(name) {
      await clock.sleep(CALL_MS);
      return recordOf(name);
    },
    async createScaleSet(name) {
      await clock.sleep(CALL_MS);
      return recordOf(name);
    },
    async deleteScaleSet(id) {
      await clock.sleep(CALL_MS);
      for (const [name, record] of records) if (record.id === id) records.delete(name);
    },
    async openSession({ name }) {
      await clock.sleep(CALL_MS);
      return sessionOf(name);
    },
    refusalOf: () => 'no_answer',
    async createJitConfig(_scaleSet, runnerName) {
      await clock.sleep(JIT_MS);
      registrations += 1;
      registered.set(runnerName, registrations);
      return { runnerId: registrations, runnerName, jitConfig: new Secret(`registration-${registrations}`) };
    },
    async findRunner(name) {
      await clock.sleep(CALL_MS);
      const id = registered.get(name);
      return id === undefined ? undefined : { id, name, scaleSetId: 0 };
    },
    async removeRunner(id) {
      await clock.sleep(CALL_MS);
      for (const [name, own] of registered) if (own === id) registered.delete(name);
    },
    async runnerStatuses(): Promise<RunnerStatuses> {
      const begunAt = clock.now();
      const pages = Math.max(1, Math.ceil(registered.size / PAGE));
      const runners = new Map([...registered].map(([name, id]) => [name, { id, status: 'offline' as const }]));
      await clock.sleep(CALL_MS * pages);
      return { begunAt, pages, runners };
    },
    async close() {},
  };
}
