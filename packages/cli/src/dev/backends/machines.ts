import type { Clock } from '@rungar/model';

/** A machine as its backend has it now. */
export interface MachineNow {
  readonly id: string;
  readonly name: string;
  /** A stopped one is still there, without power. */
  readonly state: 'starting' | 'running' | 'stopped';
  /** What it was given for its runner, as it was delivered. */
  readonly registration: string | undefined;
}

/** A machine there is or has been. */
export interface DevMachine extends Omit<MachineNow, 'state'> {
  readonly state: MachineNow['state'] | 'gone';
  /** When it was first seen, in epoch milliseconds. */
  readonly seenAt: number;
  /** Whether it is somebody else's. */
  readonly isForeign: boolean;
}

/** Remembers the machines of a backend beyond their end. */
export interface MachineBook {
  /** Looks at the backend again: to be done whenever something has happened there. */
  look(): void;
  /** The machines of these ids are somebody else's. */
  addForeign(ids: readonly string[]): void;
  readonly foreignIds: readonly string[];
  /** In the order in which they came. */
  all(): readonly DevMachine[];
  /** The most machines with power at the same time, those of others left out. */
  readonly mostAtOnce: number;
}

/** @param present the machines the backend has now; one that is not among them any more is gone */
export function keepMachineBook(clock: Clock, present: () => readonly MachineNow[]): MachineBook {
  let machines: readonly DevMachine[] = [];
  let foreignIds: readonly string[] = [];
  let mostAtOnce = 0;

  const look = (): void => {
    const unknown = new Map(present().map((machine) => [machine.id, machine]));
    const known = machines.map((machine): DevMachine => {
      if (machine.state === 'gone') return machine; // its id may be another machine's by now
      const now = unknown.get(machine.id);
      unknown.delete(machine.id);
      return now ? { ...machine, ...now } : { ...machine, state: 'gone' };
    });
    const added = [...unknown.values()].map((machine) => ({
      ...machine,
      seenAt: clock.wallNow(),
      isForeign: foreignIds.includes(machine.id),
    }));
    machines = [...known, ...added];
    mostAtOnce = Math.max(mostAtOnce, machines.filter((machine) => !machine.isForeign && hasPower(machine)).length);
  };

  return {
    look,
    addForeign(ids) {
      foreignIds = [...foreignIds, ...ids];
      look();
    },
    get foreignIds() {
      return foreignIds;
    },
    all() {
      look();
      return machines;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
  };
}

export function hasPower({ state }: Pick<DevMachine, 'state'>): boolean {
  return state === 'starting' || state === 'running';
}
