import type { Clock, Labels, Machine, OpenProvider } from '@rungar/model';

const CREATE_MS = 500;
const DELETE_MS = 300;
const LIST_MS = 100;

export interface SimulatedProvider extends OpenProvider {
  /** By name, those of an earlier daemon included. */
  readonly machines: Map<string, Machine>;
  /** Names of the machines made, with the time at which each was there. */
  readonly made: ReadonlyMap<string, number>;
  /** When each creation was asked for. */
  readonly asked: readonly number[];
  readonly deleted: ReadonlySet<string>;
}

/**
 * A provider on a clock of its own that makes and deletes as many machines at once as it is asked for.
 * @param onMade told of every machine that is there
 */
export function simulatedProvider(clock: Clock, onMade: (name: string) => void = () => {}): SimulatedProvider {
  const machines = new Map<string, Machine>();
  const made = new Map<string, number>();
  const asked: number[] = [];
  const deleted = new Set<string>();
  return {
    machines,
    made,
    asked,
    deleted,
    async list(_selector, { signal }) {
      const begunAt = clock.now();
      await clock.sleep(LIST_MS, signal);
      return { parts: [{ part: 'frankfurt', begunAt, machines: [...machines.values()] }] };
    },
    async create({ name, labels }, { signal }) {
      asked.push(clock.now());
      await clock.sleep(CREATE_MS, signal);
      const machine = machineOf(name, labels, clock.wallNow());
      machines.set(name, machine);
      made.set(name, clock.now());
      onMade(name);
      return machine;
    },
    async delete({ name }, _selector, { signal }) {
      await clock.sleep(DELETE_MS, signal);
      deleted.add(name);
      return machines.delete(name) ? 'deleted' : 'absent';
    },
    async close() {},
  };
}

export function machineOf(name: string, labels: Labels, createdAt: number): Machine {
  return { name, id: `i-${name}`, labels, state: 'running', size: '4 vCPU, 16 GiB', createdAt };
}
