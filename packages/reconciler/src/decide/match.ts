import type { RunnerFacts, SeenFleet, SeenMachine } from './facts.js';

/** Runners and the machines that a listing has of them, put together once for all that is decided of both. */
export interface Match {
  /** The machine of each runner, in the order of the runners. */
  readonly machines: readonly (SeenMachine | undefined)[];
  /** Machines that are no runner's, in the order of the listing; those of one name together. */
  readonly others: readonly SeenMachine[];
}

/** Looks each runner and each machine up by its name. */
export function matchByName({ machines }: SeenFleet, runners: ReadonlyMap<string, RunnerFacts>): Match {
  return {
    machines: Array.from(runners.keys(), (name) => machines.get(name)),
    others: [...machines.values()].filter(({ machine }) => !runners.has(machine.name)),
  };
}
