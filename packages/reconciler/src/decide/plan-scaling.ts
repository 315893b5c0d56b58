import { afterAttempt, isBraked } from './brake.js';
import type { RunnerFacts } from './facts.js';
import { type Candidates, type Claimant, orderCandidates, type ProviderFacts } from './placement.js';
import { planGiveBack, type UnsentCreation } from './scale-down.js';
import { type Counts, stepTowards, targetOf, type Wanted } from './target.js';

/** What decides how many runners there should be. */
export interface ScalingFacts extends Wanted {
  /** One more than the target for now: the runner that is to replace another. */
  readonly spare: boolean;
  /** GitHub's numbers contradict its message: nobody is given back until that is cleared up. */
  readonly doubted: boolean;
  readonly counts: Counts;
}

/** What decides where new runners go. */
export interface PlacementFacts {
  /** Those of the scale set, in its order. */
  readonly providers: readonly ProviderFacts[];
  readonly claimant: Claimant;
  readonly holdDown: number;
}

/** What decides who is given back. */
export interface GiveBackFacts {
  readonly unsent: readonly UnsentCreation[];
  readonly sent: number;
  readonly runners: readonly RunnerFacts[];
  /** The current revision by provider. */
  readonly revisions: ReadonlyMap<string, string>;
  readonly skip: ReadonlySet<string>;
}

/** What a decision about the number of runners is made from. */
export interface ScalingQuestion {
  readonly scaling: ScalingFacts;
  readonly placement: PlacementFacts;
  readonly giveBack: GiveBackFacts;
  /** Something has only just ended: what is missing waits for the next reason to decide. */
  readonly onlyDown?: boolean;
  /** On the monotonic clock. */
  readonly now: number;
}

/** One scaling decision: how many, where new ones go, and who goes. */
export interface ScalingPlan {
  readonly target: number;
  /** How many are missing. */
  readonly create: number;
  /** How many are too many. */
  readonly giveBack: number;
  /** The provider each new runner is asked of first; fewer than `create` where nobody takes more. */
  readonly placed: readonly string[];
  /** Creations to undo. */
  readonly cancel: readonly string[];
  /** Runners to remove the safe way. */
  readonly remove: readonly string[];
}

/** The whole decision at once, from facts alone: what a daemon would begin, for whoever wants to see or repeat it. */
export function planScaling({ scaling, placement, giveBack, onlyDown, now }: ScalingQuestion): ScalingPlan {
  const { create: missing, giveBack: tooMany, target } = stepOf(scaling);
  const create = onlyDown ? 0 : missing;
  const given =
    tooMany === 0 || scaling.doubted
      ? { cancel: [], remove: [] }
      : planGiveBack({
          ...giveBack,
          count: tooMany,
          currentRevision: (provider) => giveBack.revisions.get(provider),
          now,
        });
  return { target, create, giveBack: tooMany, placed: placeInTurn(placement, create, now), ...given };
}

/** How many to create or to give back. */
function stepOf(facts: ScalingFacts): { target: number; create: number; giveBack: number } {
  const target = targetOf(facts);
  const wanted = Math.min(facts.maxRunners, target + (facts.spare ? 1 : 0));
  return { target, ...stepTowards(wanted, facts.maxRunners, facts.counts) };
}

/** Where that many runners would go one after another, each claim counted for the next one. */
function placeInTurn({ providers, claimant, holdDown }: PlacementFacts, count: number, now: number): string[] {
  const placed: string[] = [];
  let facts = providers;
  while (placed.length < count) {
    const { usable }: Candidates = orderCandidates(facts, claimant, now, holdDown);
    const [first] = usable;
    if (!first) break;
    placed.push(first.name);
    facts = facts.map((provider) => (provider.name === first.name ? claimed(provider, now) : provider));
  }
  return placed;
}

function claimed(provider: ProviderFacts, now: number): ProviderFacts {
  const { brake } = provider;
  return {
    ...provider,
    taken: provider.taken + 1,
    own: provider.own + 1,
    claimed: provider.claimed + 1,
    ...(isBraked(brake) && { brake: afterAttempt(brake, now) }),
  };
}
