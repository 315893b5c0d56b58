import type { Machine } from '@rungar/model';
import type { SeenFleet, SeenMachine, SeenProvider, Sighting } from '../decide/facts.js';
import { isAlive } from '../decide/unknown-state.js';

const NO_TWINS: readonly SeenMachine[] = [];

/** Machines of one scale set, as one part of a listing has them. */
export class ListedGroup implements Sighting {
  readonly machines: Machine[] = [];
  /**
   * What a pass looks at of each of them, in their order: those of one scale set lie far apart in memory, and to fetch
   * thousands of them from there takes longer than all that is decided of them.
   */
  readonly names: string[] = [];
  readonly ids: string[] = [];
  /** Whether all of them are. */
  areAlive = true;
  readonly twins = NO_TWINS;

  constructor(
    readonly provider: string,
    readonly part: string,
    readonly begunAt: number,
  ) {}

  add(machine: Machine): void {
    this.machines.push(machine);
    this.names.push(machine.name);
    this.ids.push(machine.id);
    if (!isAlive(machine.state)) this.areAlive = false;
  }
}

/** A listing whose machines are split by scale set. */
export interface SplitListing {
  readonly byScaleSet: ReadonlyMap<string, readonly ListedGroup[]>;
}

/** One machine of a group. */
export function seenIn({ provider, part, begunAt, twins }: ListedGroup, machine: Machine): SeenMachine {
  return { provider, part, begunAt, machine, twins };
}

/** One listing of every provider, seen from one scale set. Its machines are put in order by name only when somebody asks. */
export class ListedFleet implements SeenFleet {
  #machines: ReadonlyMap<string, SeenMachine> | undefined;

  constructor(
    readonly providers: ReadonlyMap<string, SeenProvider>,
    readonly groups: readonly ListedGroup[],
  ) {}

  get machines(): ReadonlyMap<string, SeenMachine> {
    this.#machines ??= machinesOf(this.groups);
    return this.#machines;
  }
}

/** The machines of these groups by name. */
export const machinesOf = (groups: readonly ListedGroup[]): ReadonlyMap<string, SeenMachine> =>
  joined(groups.flatMap((group) => group.machines.map((machine) => seenIn(group, machine))));

/** Machines by name, those of one name together. */
export function joined(seen: readonly SeenMachine[]): ReadonlyMap<string, SeenMachine> {
  const machines = new Map<string, SeenMachine>();
  for (const one of seen) {
    const other = machines.get(one.machine.name);
    machines.set(one.machine.name, other ? { ...other, twins: [...other.twins, one, ...one.twins] } : one);
  }
  return machines;
}
