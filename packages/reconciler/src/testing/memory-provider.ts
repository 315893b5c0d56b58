import {
  type CallOptions,
  type ChangeOptions,
  type Clock,
  type DeleteOutcome,
  type Labels,
  type Machine,
  type MachineListing,
  type MachineRef,
  type MachineRequest,
  type OpenProvider,
  RungarError,
} from '@rungar/model';
import type { MemoryGitHub } from './memory-github.js';

/** What a provider without machines is like. */
export interface MemoryProviderOptions {
  readonly clock: Clock;
  /** Where the runners of its machines come online. Without it none ever does. */
  readonly github?: MemoryGitHub;
  /** The most machines it holds; 0, unless given, is no limit. */
  readonly capacity?: number;
  /** How long it takes to create a machine; 500 unless given. */
  readonly createMs?: number;
  /** From there until its runner is online; 20,000 unless given. */
  readonly bootMs?: number;
  /** 300 unless given. */
  readonly deleteMs?: number;
  /** 100 unless given. */
  readonly listMs?: number;
}

/** A call of the port. */
export type MemoryProviderCall = 'list' | 'create' | 'delete';

/** A backend in memory, for tests. A machine ends by itself when its runner has done its job. */
export interface MemoryProvider extends OpenProvider {
  /** Those that stand, ended ones included, oldest first. */
  machines(): readonly Machine[];
  /** How often it was called. */
  count(call: MemoryProviderCall): number;
  /** A machine of somebody else's, or of an earlier process. */
  put(machine: Pick<Machine, 'name' | 'labels'> & Partial<Machine>): void;
  /** A machine is gone from one moment to the next, as a spot instance is. */
  lose(name: string): void;
  /** The next call of that kind fails with `error` and changes nothing; several queue up. */
  failNext(call: MemoryProviderCall, error: Error): void;
}

interface Standing {
  machine: Machine;
  disconnect: () => void;
}

/** Makes a backend in memory on the clock it is given. */
export function memoryProvider(options: MemoryProviderOptions): MemoryProvider {
  const { clock, github, capacity = 0, createMs = 500, bootMs = 20_000, deleteMs = 300, listMs = 100 } = options;
  const standing = new Map<string, Standing>();
  const counts = { list: 0, create: 0, delete: 0 };
  const failures: Record<MemoryProviderCall, Error[]> = { list: [], create: [], delete: [] };
  let made = 0;

  async function begin(call: MemoryProviderCall, ms: number, { signal }: CallOptions): Promise<void> {
    counts[call]++;
    const failure = failures[call].shift();
    await clock.sleep(ms, signal);
    if (failure) throw failure;
  }

  const stand = (machine: Omit<Machine, 'id'> & { readonly id?: string }): Standing => {
    const entry = { machine: { ...machine, id: machine.id ?? `m-${++made}` }, disconnect() {} };
    standing.set(entry.machine.id, entry);
    return entry;
  };

  const take = ({ machine, disconnect }: Standing): void => {
    standing.delete(machine.id);
    disconnect();
  };

  const boot = async (entry: Standing, { jitConfig }: MachineRequest): Promise<void> => {
    await clock.sleep(bootMs);
    if (standing.get(entry.machine.id) !== entry) return;
    const done = (): void => {
      entry.machine = { ...entry.machine, state: 'stopped' };
    };
    entry.disconnect = github?.connect(jitConfig, done) ?? (() => {});
  };

  return {
    machines: () => [...standing.values()].map(({ machine }) => machine),
    count: (call) => counts[call],
    put: (machine) => void stand({ state: 'running', size: '', createdAt: clock.wallNow(), ...machine }),
    lose(name) {
      for (const entry of [...standing.values()]) if (entry.machine.name === name) take(entry);
    },
    failNext: (call, error) => void failures[call].push(error),

    async list(selector: Labels, call: CallOptions): Promise<MachineListing> {
      const begunAt = clock.now();
      await begin('list', listMs, call);
      const found = [...standing.values()]
        .map(({ machine }) => machine)
        .filter(({ labels }) => carries(labels, selector));
      return { parts: [{ part: 'memory', begunAt, machines: found }] };
    },
    async create(request: MachineRequest, call: ChangeOptions): Promise<Machine> {
      await begin('create', createMs, call);
      if (capacity > 0 && standing.size >= capacity)
        throw new RungarError('no_capacity', `there is room for ${capacity} machines only`);
      const { name, labels } = request;
      const entry = stand({ name, labels, state: 'running', size: 'in memory', createdAt: clock.wallNow() });
      if (github) void boot(entry, request);
      return entry.machine;
    },
    async delete({ name, id }: MachineRef, selector: Labels, call: ChangeOptions): Promise<DeleteOutcome> {
      await begin('delete', deleteMs, call);
      const found = [...standing.values()].filter(
        ({ machine }) => machine.name === name && (id === undefined || machine.id === id),
      );
      if (found.length === 0) return 'absent';
      const ours = found.filter(({ machine }) => carries(machine.labels, selector));
      for (const entry of ours) take(entry);
      return ours.length > 0 ? 'deleted' : 'stranger';
    },
    close: async () => {},
  };
}

const carries = (labels: Labels, selector: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);
