import type { SeenFleet, SeenMachine, SeenProvider } from '../decide/facts.js';

/** One listing of every provider, seen from one scale set. Its machines are put in order by name only when somebody asks. */
export class ListedFleet implements SeenFleet {
  #machines: ReadonlyMap<string, SeenMachine> | undefined;

  /** @param groups the machines of each provider */
  constructor(
    readonly providers: ReadonlyMap<string, SeenProvider>,
    readonly groups: readonly (readonly SeenMachine[])[],
  ) {}

  get machines(): ReadonlyMap<string, SeenMachine> {
    this.#machines ??= joined(this.groups);
    return this.#machines;
  }
}

/** Machines by name, those of one name together. That two have one is rare, and only then each is looked up first. */
export function joined(groups: readonly (readonly SeenMachine[])[]): ReadonlyMap<string, SeenMachine> {
  const machines = new Map<string, SeenMachine>();
  let count = 0;
  for (const group of groups) {
    count += group.length;
    for (const seen of group) machines.set(seen.machine.name, seen);
  }
  return machines.size === count ? machines : joinedOneByOne(groups);
}

function joinedOneByOne(groups: readonly (readonly SeenMachine[])[]): ReadonlyMap<string, SeenMachine> {
  const machines = new Map<string, SeenMachine>();
  for (const seen of groups.flat()) {
    const other = machines.get(seen.machine.name);
    machines.set(seen.machine.name, other ? { ...other, twins: [...other.twins, seen, ...seen.twins] } : seen);
  }
  return machines;
}
