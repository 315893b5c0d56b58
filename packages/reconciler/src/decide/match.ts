import type { Machine } from '@rungar/model';
import type { RunnerFacts, SeenFleet, SeenMachine, Sighting } from './facts.js';

/** Runners and the machines that a listing has of them, put together once for all that is decided of both. */
export interface Match {
  /** All of them, in their order. */
  readonly runners: readonly RunnerFacts[];
  /** The machine of each runner, in the order of the runners. */
  readonly machines: readonly (Machine | undefined)[];
  /** Where each of those machines was seen: many share one, as a pass looks at thousands of them. */
  readonly sightings: readonly (Sighting | undefined)[];
  /** Machines that are no runner's, in the order of the listing; those of one name together. */
  readonly others: readonly SeenMachine[];
}

/** Looks each runner and each machine up by its name. */
export function matchByName({ machines }: SeenFleet, runners: ReadonlyMap<string, RunnerFacts>): Match {
  const inOrder = [...runners.values()];
  const sightings = inOrder.map(({ name }) => machines.get(name));
  return {
    runners: inOrder,
    machines: sightings.map((seen) => seen?.machine),
    sightings,
    others: [...machines.values()].filter(({ machine }) => !runners.has(machine.name)),
  };
}
