import { haveAnswered } from '../decide/quiet.js';
import type { ProviderListing } from './observe.js';
import { oldestForPass, runPass, type TakenListings } from './pass.js';
import { passQuietly } from './quiet-pass.js';
import type { Deps, ScaleSet } from './scale-set.js';

/** A scale set whose pass waits for the listings, and where it stood when that began. */
interface Member {
  readonly set: ScaleSet;
  readonly epoch: number;
  readonly passes: number;
}

/**
 * Passes by the clock, of every scale set at once: the providers are listed for all of them, and then those that find
 * nothing to do, mostly all, are done with on the spot.
 */
export class Rounds {
  readonly #deps: Deps;
  #waiting: readonly Member[] | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Begins a pass of each of them that may act, unless one of it is under way. */
  begin(sets: Iterable<ScaleSet>): void {
    const waiting = this.#waiting;
    const joining: Member[] = [];
    for (const set of sets) {
      const { epoch, passes, pass, canAct } = set;
      if (!canAct || pass?.epoch === epoch) continue;
      if (!waiting?.some((member) => member.set === set && member.epoch === epoch))
        joining.push({ set, epoch, passes });
    }
    if (joining.length === 0) return;
    if (waiting) {
      // A provider is slow to answer: those that came later do not wait for what it was asked before.
      for (const { set } of joining) set.track(runPass(set, { kind: 'timed' }));
      return;
    }
    this.#waiting = joining;
    const { clock, listings, logger } = this.#deps;
    const since = clock.now();
    const ended = listings
      .all({ begunAfter: oldestForPass(this.#deps) })
      .then((listed) => this.#passAll(joining, { since, listings: listed }));
    void ended
      .catch((error: unknown) => logger.error('Unexpected failure', { error }))
      .finally(() => {
        this.#waiting = undefined;
      });
  }

  #passAll(members: readonly Member[], taken: TakenListings): void {
    const answered = isWhole(taken.listings);
    for (const { set, epoch, passes } of members) {
      // A pass that began meanwhile has seen no less.
      if (!set.canAct || !set.isCurrent(epoch) || set.passes !== passes) continue;
      // What fails in one of them keeps no other from its pass.
      try {
        if (answered && passQuietly(set, taken)) continue;
        set.track(runPass(set, { kind: 'timed', taken }));
      } catch (error) {
        set.log.error('Unexpected failure', { error });
      }
    }
  }
}

const isWhole = (listings: readonly ProviderListing[]): boolean =>
  listings.length > 0 && haveAnswered(listings.map(({ provider }) => provider));
