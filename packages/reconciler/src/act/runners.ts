import type { GitHubStatus, Machine, RunnerJob, RunnerState, RunnerStatuses } from '@rungar/model';
import type { LeavingFacts, MachinePlace, Outcome, RunnerFacts, SeenMachine, Sighting } from '../decide/facts.js';
import { type Match, matchByName } from '../decide/match.js';
import type { Proof } from '../decide/proof.js';
import { isAtRest, type RestingRule } from '../decide/quiet.js';
import { joined, type ListedFleet, type ListedGroup, type SplitListing, seenIn } from './listed-fleet.js';

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** A tracked runner. Only {@link RunnerBook} changes what it counts by. */
export interface Runner extends Changeable<RunnerFacts> {
  /** An id of its registration that may be removed by: from the registration itself or a look-up by name. */
  registrationId?: number | undefined;
  /** Of its runner program, once GitHub has told it. */
  version?: string | undefined;
  /** The removal under way, so that a second caller waits for the first. */
  removal?: Promise<unknown> | undefined;
  /** Its place in the order of its book, once that has been taken. Only its book reads it. */
  rank: number;
}

export interface Leaving extends Changeable<LeavingFacts> {
  readonly runner: Runner;
  /** Whether its end is worth recording: a leftover of a failed creation never was a runner. */
  readonly recorded: boolean;
  readonly deletedTwins: Set<MachinePlace>;
  /** Whether its registration still has to go before its machine may. */
  registered: boolean;
  lastError?: string;
  /** Why its machine ended, in its backend's words. */
  readonly endReason?: string;
  /** The deletion under way, or the latest. It never rejects. */
  attempt: Promise<void>;
  /** Whether it has been counted as one that came to nothing. */
  misfortune?: boolean;
  askedForLastWords: boolean;
  /** The end of its machine's console, fit to be shown. */
  lastWords?: string;
}

const NO_GROUPS: readonly ListedGroup[] = [];

/** What is known of a runner as it begins to leave. */
interface LeavingStart {
  readonly recorded: boolean;
  readonly registered?: boolean;
  readonly outcome?: Outcome;
  readonly endedAt?: number;
  readonly endProof?: Proof;
  readonly endReason?: string;
}

/**
 * The runners of one scale set, those leaving and those just gone, with what they take up counted as they change.
 * Every method is one step: nothing is awaited between a runner leaving one list and joining the next.
 */
export class RunnerBook {
  readonly #runners = new Map<string, Runner>();
  readonly #leaving = new Map<string, Leaving>();
  readonly left = new Map<string, number>();
  readonly #places = new Map<string, number>();
  readonly #perProvider = new Map<string, number>();
  readonly #states: Record<RunnerState, number> = { starting: 0, idle: 0, busy: 0 };
  /** One more with everything that changes what is counted here. */
  changes = 0;
  /** What a match goes by, until a runner comes or goes. */
  #order: readonly Runner[] | undefined;

  get runners(): ReadonlyMap<string, Runner> {
    return this.#runners;
  }

  get leaving(): ReadonlyMap<string, Leaving> {
    return this.#leaving;
  }

  get counts(): Readonly<Record<RunnerState, number>> {
    return this.#states;
  }

  /** Machines on that provider that hold a place: of runners, and of those leaving until they are deleted. */
  placesOn(provider: string): number {
    return this.#places.get(provider) ?? 0;
  }

  /** Runners on that provider, those leaving not counted. */
  runnersOn(provider: string): number {
    return this.#perProvider.get(provider) ?? 0;
  }

  /**
   * Puts the runners and a listing together. Listings mostly keep the order of the runners, as those were counted in
   * it: so the runner after the last one is compared first, and only where it is another is the name looked up.
   */
  match(fleet: ListedFleet): Match {
    const order = this.#inOrder();
    const machines = new Array<Machine | undefined>(order.length).fill(undefined);
    const sightings = new Array<Sighting | undefined>(order.length).fill(undefined);
    const others: SeenMachine[] = [];
    let next = 0;
    for (const group of fleet.groups) {
      for (const machine of group.machines) {
        const { name } = machine;
        const expected = order[next];
        const runner = expected?.name === name ? expected : this.#runners.get(name);
        if (!runner) others.push(seenIn(group, machine));
        // Two machines of one name are rare.
        else if (machines[runner.rank]) return matchByName(fleet, this.#runners);
        else {
          machines[runner.rank] = machine;
          sightings[runner.rank] = group;
          next = runner.rank + 1;
        }
      }
    }
    return { runners: order, machines, sightings, others: others.length === 0 ? others : [...joined(others).values()] };
  }

  /**
   * Whether every runner has just one machine in a listing, each machine is a runner's, and all are at rest. Nothing is
   * put together for it: it is what a pass ends with that finds nothing to do.
   */
  isAtRest(listings: readonly SplitListing[], scaleSet: string, rule: RestingRule): boolean {
    const order = this.#inOrder();
    let next = 0;
    let found = 0;
    let seen: Uint8Array | undefined;
    for (const { byScaleSet } of listings) {
      for (const group of byScaleSet.get(scaleSet) ?? NO_GROUPS) {
        const { names, ids, areAlive } = group;
        if (!areAlive) return false;
        const revision = rule.revisions.get(group.provider);
        let at = 0;
        for (const name of names) {
          const expected = order[next];
          const runner = expected?.name === name ? expected : this.#runners.get(name);
          if (!runner || !isAtRest(runner, ids[at++], group, revision, rule)) return false;
          // As long as they come in their order, none can come twice.
          if (!seen && runner !== expected) seen = new Uint8Array(order.length).fill(1, 0, next);
          if (seen) {
            if (seen[runner.rank]) return false;
            seen[runner.rank] = 1;
          }
          next = runner.rank + 1;
          found++;
        }
      }
    }
    return found === order.length;
  }

  /** The runners as their map has them, each with its rank. */
  #inOrder(): readonly Runner[] {
    if (this.#order) return this.#order;
    const order = [...this.#runners.values()];
    for (const [rank, runner] of order.entries()) runner.rank = rank;
    this.#order = order;
    return order;
  }

  add(runner: Runner): void {
    this.#order = undefined;
    this.#runners.set(runner.name, runner);
    this.#states[runner.state]++;
    this.changes++;
    bump(this.#perProvider, runner.place.provider, 1);
    for (const place of placesOf(runner)) bump(this.#places, place.provider, 1);
  }

  /** Notes which version of the runner program each runs: it stays the same for as long as a runner lives. */
  noteVersions({ runners }: RunnerStatuses): void {
    for (const runner of this.#runners.values()) runner.version ??= runners.get(runner.name)?.version;
  }

  setState(runner: Runner, state: RunnerState): void {
    if (this.#runners.get(runner.name) === runner) {
      this.#states[runner.state]--;
      this.#states[state]++;
      this.changes++;
    }
    runner.state = state;
  }

  /** Notes where its machine, or machines, were last seen. */
  setPlace(runner: Runner, place: MachinePlace, twins: readonly MachinePlace[]): void {
    for (const old of placesOf(runner)) bump(this.#places, old.provider, -1);
    bump(this.#perProvider, runner.place.provider, -1);
    runner.place = place;
    runner.twins = twins;
    this.changes++;
    bump(this.#perProvider, place.provider, 1);
    for (const now of placesOf(runner)) bump(this.#places, now.provider, 1);
  }

  /** Stops counting a runner, its machine still standing. Of two callers only the first gets it. */
  letGo(name: string, more: Omit<LeavingStart, 'recorded' | 'registered'>): Leaving | undefined {
    const runner = this.#runners.get(name);
    if (!runner) return undefined;
    this.#uncount(runner);
    return this.#leave(runner, { ...more, recorded: true });
  }

  /** Takes in a machine that has ended, or that a failed creation left behind: its place is held until it is gone. */
  addLeaving(runner: Runner, more: Omit<LeavingStart, 'outcome'>): Leaving {
    for (const place of placesOf(runner)) bump(this.#places, place.provider, 1);
    return this.#leave(runner, more);
  }

  /** Forgets a runner whose machine is not touched: its provider has been silent for too long. */
  drop(name: string): Runner | undefined {
    const runner = this.#runners.get(name);
    if (!runner) return undefined;
    this.#uncount(runner);
    for (const place of placesOf(runner)) bump(this.#places, place.provider, -1);
    return runner;
  }

  /** One machine of a leaving runner is gone: its place is free. */
  placeFreed(place: MachinePlace): void {
    bump(this.#places, place.provider, -1);
  }

  /** GitHub has given a leftover a job: it counts, as busy, and its machine is not touched. */
  takeBack({ runner }: Leaving, now: number): void {
    this.#leaving.delete(runner.name);
    for (const place of placesOf(runner)) bump(this.#places, place.provider, -1);
    runner.state = 'busy';
    runner.countedAt = now;
    this.add(runner);
  }

  /** A leaving runner is done with. */
  finish(name: string, now: number): void {
    this.#leaving.delete(name);
    this.left.set(name, now);
  }

  /** Forgets every runner that counts; machines and those leaving stay as they are. */
  forget(): void {
    for (const name of [...this.#runners.keys()]) this.drop(name);
  }

  #uncount(runner: Runner): void {
    this.#runners.delete(runner.name);
    this.#order = undefined;
    this.#states[runner.state]--;
    this.changes++;
    bump(this.#perProvider, runner.place.provider, -1);
  }

  #leave(runner: Runner, { registered = false, ...more }: LeavingStart): Leaving {
    const leaving: Leaving = {
      runner,
      registered,
      ...more,
      attempt: Promise.resolve(),
      askedForLastWords: false,
      deleted: false,
      deleting: false,
      deleteFailures: 0,
      deleteAgainAt: Number.NEGATIVE_INFINITY,
      deletedTwins: new Set(),
    };
    this.#leaving.set(runner.name, leaving);
    return leaving;
  }
}

/** What a new runner is made of. */
export interface NewRunner {
  readonly name: string;
  readonly place: MachinePlace;
  readonly twins?: readonly MachinePlace[];
  readonly state: RunnerState;
  readonly size: string;
  readonly adopted: boolean;
  readonly revision: string;
  readonly createdAt?: number;
  readonly countedAt: number;
  readonly listed: boolean;
  readonly unknownSince?: number;
  readonly registrationId?: number;
}

const NO_TWINS: readonly MachinePlace[] = [];

/** Every field is there from the beginning, and none is ever deleted: a pass reads thousands of these. */
export function newRunner(from: NewRunner): Runner {
  return {
    // What a pass reads of each stands together.
    rank: 0,
    state: from.state,
    githubStatus: undefined,
    offlineSince: undefined,
    removing: false,
    listed: from.listed,
    missingSince: undefined,
    unknownSince: from.unknownSince,
    place: from.place,
    twins: from.twins ?? NO_TWINS,
    revision: from.revision,
    createdAt: from.createdAt,
    name: from.name,
    job: undefined,
    size: from.size,
    adopted: from.adopted,
    countedAt: from.countedAt,
    connectedAt: undefined,
    toldAt: undefined,
    registrationId: from.registrationId,
    version: undefined,
    removal: undefined,
  };
}

export const placesOf = (runner: Pick<Runner, 'place' | 'twins'>): readonly MachinePlace[] => [
  runner.place,
  ...runner.twins,
];

/** Notes GitHub's newest word on a runner. */
export function noteStatus(runner: Runner, status: GitHubStatus, offlineSince: number | undefined): void {
  runner.githubStatus = status;
  runner.offlineSince = offlineSince;
}

export function noteJob(runner: Runner, job: RunnerJob): void {
  runner.job = job;
}

function bump(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
