import { LABEL } from '@rungar/labels';
import type { Clock, Labels, Logger, Machine, MachineListing } from '@rungar/model';
import { messageOf, RungarError } from '@rungar/model';
import type { SeenPart, SeenProvider } from '../decide/facts.js';
import { haveAnswered } from '../decide/quiet.js';
import type { Fleet } from './fleet.js';
import { ListedFleet, ListedGroup, type SplitListing } from './listed-fleet.js';
import { withKnownState } from './provider-answer.js';
import type { ProviderState } from './provider-state.js';
import { abandonable } from './time-limit.js';

/** One provider's listing, split by scale set once for all of them. */
export interface ProviderListing extends SplitListing {
  readonly provider: SeenProvider;
  readonly startedAt: number;
  /** Whether it shows other installations' machines too. */
  readonly wide: boolean;
  /** Machines of other installations, by installation. */
  readonly foreign: ReadonlyMap<string, number>;
}

export interface ListingWish {
  /** A listing begun before this instant will not do. */
  readonly begunAfter: number;
  /** Also show machines of other installations, so that they can be warned of. */
  readonly wide?: boolean;
  readonly signal?: AbortSignal;
}

export interface ListingsOptions {
  readonly installation: string;
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A listing of one provider, taken or under way. */
interface Listing {
  readonly startedAt: number;
  readonly wide: boolean;
  readonly answer: Promise<ProviderListing>;
}

/** Listings of all providers, for every scale set that wants them as new. */
interface Round {
  /** When the oldest of them was begun. */
  readonly startedAt: number;
  readonly wide: boolean;
  readonly answer: Promise<readonly ProviderListing[]>;
  /** Of which providers, and whose backend each leads to. */
  readonly of: readonly { readonly state: ProviderState; readonly sameAs: string | undefined }[];
}

/**
 * What there is of one provider. It changes in place, and a `Map` does not: the tables that a map has outgrown lead to
 * the next ones, which keeps what they hold from being given back for long.
 */
interface Known {
  latest: ProviderListing | undefined;
  inFlight: Listing | undefined;
}

const NONE: readonly ListedGroup[] = [];

/** Listings of the providers: each is taken once for all scale sets that can use it. */
export class Listings {
  readonly #options: ListingsOptions;
  readonly #known = new Map<string, Known>();
  readonly #providersOf = new WeakMap<readonly ProviderListing[], ReadonlyMap<string, SeenProvider>>();
  #round: Round | undefined;
  readonly #strangers = new Set<string>();
  readonly #warned = new Set<string>();
  readonly #log: Logger;

  constructor(options: ListingsOptions) {
    this.#options = options;
    this.#log = options.logger.with({ component: 'fleet' });
  }

  /**
   * Every provider, as new as wished. One that does not answer says so in its `error`. One that leads to the backend
   * of an earlier provider has no machines of its own: that one's listing speaks for both.
   */
  all({ begunAfter, wide = false, signal }: ListingWish): Promise<readonly ProviderListing[]> {
    const { answer } = this.#sharedRound(begunAfter, wide) ?? this.#beginRound(begunAfter, wide);
    return signal ? abandonable(signal, () => answer) : answer;
  }

  one(provider: string, { begunAfter, wide = false, signal }: ListingWish): Promise<ProviderListing> {
    const { answer } = this.#newest(provider, begunAfter, wide);
    return signal ? abandonable(signal, () => answer) : answer;
  }

  /** The round that another scale set has begun, as long as nothing newer is known of any provider. */
  #sharedRound(begunAfter: number, wide: boolean): Round | undefined {
    const round = this.#round;
    if (!round || round.startedAt < begunAfter || (wide && !round.wide)) return undefined;
    let at = 0;
    for (const state of this.#options.fleet.providers) {
      const then = round.of[at++];
      if (then?.state !== state || then.sameAs !== state.sameAs) return undefined;
    }
    return at === round.of.length ? round : undefined;
  }

  #beginRound(begunAfter: number, wide: boolean): Round {
    const states = [...this.#options.fleet.providers];
    const asked = states.filter(({ sameAs }) => sameAs === undefined).map(({ config }) => config.name);
    const listings = asked.map((name) => this.#newest(name, begunAfter, wide));
    const round = {
      startedAt: Math.min(...listings.map(({ startedAt }) => startedAt)),
      wide: listings.every((listing) => listing.wide),
      answer: Promise.all(listings.map(({ answer }) => answer)).then((answers) =>
        spokenFor(
          states,
          answers.map((listing) => this.#newerThan(listing, wide)),
        ),
      ),
      of: states.map((state) => ({ state, sameAs: state.sameAs })),
    };
    this.#round = round;
    return round;
  }

  /**
   * While one provider was waited for, another that was silent may have been listed once more, and have answered. What
   * a listing does show is kept: a later one may lag behind it.
   */
  #newerThan(listing: ProviderListing, wide: boolean): ProviderListing {
    const latest = this.#known.get(listing.provider.name)?.latest;
    if (!latest || latest.startedAt <= listing.startedAt || (wide && !latest.wide)) return listing;
    return haveAnswered([listing.provider]) ? listing : latest;
  }

  #newest(provider: string, begunAfter: number, wide: boolean): Listing {
    const known = this.#knownOf(provider);
    const { latest, inFlight } = known;
    if (latest && latest.startedAt >= begunAfter && (latest.wide || !wide))
      return { startedAt: latest.startedAt, wide: latest.wide, answer: Promise.resolve(latest) };
    if (inFlight && inFlight.startedAt >= begunAfter && (inFlight.wide || !wide)) return inFlight;
    const startedAt = this.#options.clock.now();
    const answer = this.#list(provider, startedAt, wide);
    const entry = { startedAt, wide, answer };
    known.inFlight = entry;
    this.#round = undefined;
    void answer.finally(() => {
      if (known.inFlight === entry) known.inFlight = undefined;
    });
    return entry;
  }

  #knownOf(provider: string): Known {
    let known = this.#known.get(provider);
    if (!known) {
      known = { latest: undefined, inFlight: undefined };
      this.#known.set(provider, known);
    }
    return known;
  }

  /** Lets go of listings that are too old for any pass: between passes they would take up more than the runners do. */
  forgetBefore(instant: number): void {
    for (const known of this.#known.values())
      if (known.latest && known.latest.startedAt < instant) known.latest = undefined;
    if (this.#round && this.#round.startedAt < instant) this.#round = undefined;
  }

  /** What one scale set sees in these listings. */
  seenBy(scaleSet: string, listings: readonly ProviderListing[]): ListedFleet {
    let providers = this.#providersOf.get(listings);
    if (!providers) {
      providers = new Map(listings.map((listing) => [listing.provider.name, listing.provider]));
      this.#providersOf.set(listings, providers);
    }
    const groups: ListedGroup[] = [];
    for (const { byScaleSet } of listings) {
      for (const group of byScaleSet.get(scaleSet) ?? NONE) groups.push(group);
    }
    return new ListedFleet(providers, groups);
  }

  /** Warns, once each, of machines that other installations, or scale sets nobody configured, have here. */
  warnOfOthers(listings: readonly ProviderListing[], configured: ReadonlySet<string>): void {
    const foreign = new Map<string, number>();
    const leftovers = new Map<string, number>();
    for (const listing of listings) {
      for (const [installation, count] of listing.foreign)
        foreign.set(installation, (foreign.get(installation) ?? 0) + count);
      for (const [scaleSet, groups] of listing.byScaleSet) {
        if (configured.has(scaleSet)) continue;
        for (const { machines } of groups) leftovers.set(scaleSet, (leftovers.get(scaleSet) ?? 0) + machines.length);
      }
    }
    for (const [installation, count] of foreign) {
      if (!this.#firstTime(`installation ${installation}`)) continue;
      const { installation: ours } = this.#options;
      this.#log.warn('Machines of another installation are left alone', { installation, ours, count });
    }
    for (const [scaleSet, count] of leftovers) {
      if (!this.#firstTime(`scale set ${scaleSet}`)) continue;
      this.#log.warn('Machines of a scale set that is not configured; remove it if it is not needed', {
        scale_set: scaleSet,
        count,
      });
    }
  }

  #firstTime(what: string): boolean {
    if (this.#warned.has(what)) return false;
    this.#warned.add(what);
    return true;
  }

  async #list(provider: string, startedAt: number, wide: boolean): Promise<ProviderListing> {
    const { fleet, installation } = this.#options;
    const selector: Labels = wide
      ? { [LABEL.managed]: 'true' }
      : { [LABEL.managed]: 'true', [LABEL.installation]: installation };
    let listing: ProviderListing;
    let identity: string | undefined;
    try {
      const answer = await fleet.list(provider, selector);
      ({ identity } = answer);
      listing = this.#split(provider, startedAt, wide, answer);
    } catch (error) {
      listing = {
        provider: { name: provider, error: messageOf(error), parts: [], clockOffsetMs: 0 },
        startedAt,
        wide,
        byScaleSet: new Map(),
        foreign: new Map(),
      };
    }
    fleet.noteListing(provider, wholeError(listing.provider));
    if (identity !== undefined) fleet.noteIdentity(provider, identity);
    const known = this.#knownOf(provider);
    if (!known.latest || known.latest.startedAt <= startedAt) known.latest = listing;
    return listing;
  }

  #split(provider: string, startedAt: number, wide: boolean, answer: MachineListing): ProviderListing {
    const { installation: ours } = this.#options;
    const byScaleSet = new Map<string, ListedGroup[]>();
    const foreign = new Map<string, number>();
    for (const { part, begunAt, machines, error } of answer.parts) {
      if (error) continue;
      const groups = new Map<string, ListedGroup>();
      for (const machine of machines) {
        const { labels } = machine;
        if (labels[LABEL.managed] !== 'true' || labels[LABEL.installation] !== ours) {
          const installation = labels[LABEL.installation] ?? '';
          foreign.set(installation, (foreign.get(installation) ?? 0) + 1);
        } else if (this.#isWellNamed(provider, machine)) {
          const scaleSet = labels[LABEL.scaleSet] ?? '';
          let group = groups.get(scaleSet);
          if (!group) {
            group = new ListedGroup(provider, part, begunAt);
            groups.set(scaleSet, group);
          }
          group.add(withKnownState(machine));
        }
      }
      for (const [scaleSet, group] of groups) {
        const others = byScaleSet.get(scaleSet);
        if (others) others.push(group);
        else byScaleSet.set(scaleSet, [group]);
      }
    }
    const parts = answer.parts.map<SeenPart>(({ part, begunAt, error }) => ({
      part,
      begunAt,
      ...(error && { error: messageOf(error) }),
    }));
    return {
      provider: {
        name: provider,
        parts,
        clockOffsetMs: answer.clockOffsetMs ?? 0,
        ...(answer.upToDate === true && { upToDate: true }),
      },
      startedAt,
      wide,
      byScaleSet,
      foreign,
    };
  }

  /** A machine whose label names another runner is a copy of one of ours, not ours. */
  #isWellNamed(provider: string, machine: Machine): boolean {
    if (machine.labels[LABEL.runner] === machine.name) return true;
    const key = `${provider}/${machine.name}`;
    if (!this.#strangers.has(key)) {
      this.#strangers.add(key);
      this.#log.warn('A machine carries the labels of another runner and is left alone', {
        provider,
        runner: machine.name,
      });
    }
    return false;
  }
}

/** The listings of all providers, those that were not asked included: the one they lead to has answered for them. */
function spokenFor(states: readonly ProviderState[], answers: readonly ProviderListing[]): readonly ProviderListing[] {
  const byName = new Map(answers.map((listing) => [listing.provider.name, listing]));
  return states.flatMap(({ config, sameAs }) => {
    const listing = byName.get(sameAs ?? config.name);
    if (!listing) return [];
    return sameAs === undefined ? listing : withoutMachines(listing, config.name);
  });
}

/** What a listing says of another provider over the same backend: what has answered, and no machine twice. */
function withoutMachines(listing: ProviderListing, name: string): ProviderListing {
  return { ...listing, provider: { ...listing.provider, name }, byScaleSet: new Map(), foreign: new Map() };
}

/** A provider that does not answer may have what the others lack. @throws RungarError `unavailable` naming it */
export function throwIfSilent(listings: readonly ProviderListing[], what: string): void {
  for (const { provider } of listings) {
    const error = provider.error ?? provider.parts.find((part) => part.error !== undefined)?.error;
    if (error !== undefined)
      throw new RungarError('unavailable', `provider ${provider.name} does not answer, and ${what}: ${error}`);
  }
}

/** Why a provider counts as not answering: it said nothing, or none of its parts did. */
function wholeError({ error, parts }: SeenProvider): string | undefined {
  if (error !== undefined) return error;
  const [first] = parts;
  return first !== undefined && parts.every((part) => part.error !== undefined) ? first.error : undefined;
}
