import { runnerLabels, runnerName } from '@rungar/labels';
import {
  type JobMessageHandler,
  type Machine,
  type MessageSession,
  type OpenProvider,
  type Random,
  RungarError,
  type RunnerStatuses,
  type ScaleSetService,
  type ScaleSetStatistics,
} from '@rungar/model';
import type { FakeClock } from '@rungar/model/testing';
import { INSTALLATION, REVISION, scaleSetOn } from './engine-world.js';

export const PROVIDERS = ['aws', 'gcp', 'proxmox', 'dicer'] as const;
const CREATED_AT = Date.UTC(2027, 0, 4, 8, 0, 0);

export const scaleSetNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `linux-${at}`);

const hex = (random: Random, bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');

/** A machine that an earlier daemon made for a scale set. */
export function standingMachine(random: Random, scaleSet: string): Machine {
  const name = runnerName(scaleSet, hex(random, 4));
  return {
    name,
    id: `i-${hex(random, 8)}`,
    labels: runnerLabels({ installation: INSTALLATION, scaleSet, runner: name, revision: REVISION }),
    state: 'running',
    size: '4 vCPU, 16 GiB',
    createdAt: CREATED_AT,
  };
}

export interface Fleet {
  readonly scaleSets: ReturnType<typeof scaleSetOn>[];
  /** By provider. */
  readonly machines: ReadonlyMap<string, Machine[]>;
}

/** As many machines, of so many scale sets in turn, shared out over four providers. */
export function standingFleet(random: Random, machines: number, scaleSets: number): Fleet {
  const names = scaleSetNames(scaleSets);
  const byProvider = new Map<string, Machine[]>(PROVIDERS.map((name) => [name, []]));
  const taken = new Set<string>();
  // Of a hundred thousand suffixes of four bytes, two are alike as often as not.
  while (taken.size < machines) {
    const at = taken.size;
    const machine = standingMachine(random, names[Math.floor(at / PROVIDERS.length) % scaleSets] ?? '');
    if (taken.has(machine.name)) continue;
    taken.add(machine.name);
    byProvider.get(PROVIDERS[at % PROVIDERS.length] ?? '')?.push(machine);
  }
  return { scaleSets: names.map((name) => scaleSetOn(name, machines, PROVIDERS)), machines: byProvider };
}

/** A provider that answers every listing at once with the machines it is given, decoded already. */
export function decodedProvider(clock: FakeClock, machines: readonly Machine[]): OpenProvider {
  const refused = async (): Promise<never> => {
    throw new RungarError('internal', 'nothing is made or deleted here');
  };
  return {
    list: async () => ({ parts: [{ part: 'all', begunAt: clock.now(), machines }] }),
    create: refused,
    delete: refused,
    close: async () => {},
  };
}

export interface QuietGitHub extends ScaleSetService {
  /** A runner of the same scale set comes in the place of another. */
  replace(gone: string, come: string): void;
}

/**
 * A GitHub that shows every runner busy with a job, and says nothing new.
 * @param onListen told who listens to which scale set
 */
export function quietGitHub(
  clock: FakeClock,
  { scaleSets, machines }: Fleet,
  onListen: (scaleSet: string, handler: JobMessageHandler) => void = () => {},
): QuietGitHub {
  const busy = new Map<string, { id: number; status: 'busy' }>();
  const counts = new Map<string, number>();
  const sets = scaleSets.map(({ name }) => name);
  for (const { name, labels } of [...machines.values()].flat()) {
    busy.set(name, { id: busy.size + 1, status: 'busy' });
    const scaleSet = labels['rungar.sh/scale-set'] ?? '';
    counts.set(scaleSet, (counts.get(scaleSet) ?? 0) + 1);
  }
  const statisticsOf = (name: string): ScaleSetStatistics => {
    const count = counts.get(name) ?? 0;
    return {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: count,
      runningJobs: count,
      registeredRunners: count,
      busyRunners: count,
      idleRunners: 0,
    };
  };
  const recordOf = (name: string) => ({
    id: sets.indexOf(name) + 1,
    name,
    runnerGroupId: 1,
    runnerGroupName: 'Default',
    labels: [name],
  });
  const refused = async (): Promise<never> => {
    throw new RungarError('internal', 'nothing is registered or removed here');
  };
  let lastId = busy.size;
  let latest: RunnerStatuses | undefined;
  return {
    replace(gone, come) {
      busy.delete(gone);
      busy.set(come, { id: ++lastId, status: 'busy' });
    },
    findScaleSet: async (name) => recordOf(name),
    createScaleSet: refused,
    deleteScaleSet: refused,
    openSession: async ({ name }): Promise<MessageSession> => ({
      id: name,
      statistics: statisticsOf(name),
      listen: (handler, { signal }) => {
        onListen(name, handler);
        handler.onStatistics(statisticsOf(name), undefined);
        return new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
      close: async () => {},
    }),
    refusalOf: () => 'no_answer',
    createJitConfig: refused,
    findRunner: async () => undefined,
    removeRunner: refused,
    // One listing serves every scale set, as that of the real client does.
    runnerStatuses: async (): Promise<RunnerStatuses> => {
      if (latest?.begunAt !== clock.now())
        latest = { begunAt: clock.now(), pages: Math.ceil(busy.size / 100), runners: busy };
      return latest;
    },
    close: async () => {},
  };
}
