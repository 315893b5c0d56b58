import type { Machine } from '@rungar/model';
import type { SeenFleet, SeenMachine, SeenProvider, Sighting } from '../decide/facts.js';

/** Machines of one scale set, as one part of a listing has them. */
export interface ListedGroup extends Sighting {
  readonly machines: readonly Machine[];
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
