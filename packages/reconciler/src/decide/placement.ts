import type { Placement } from '@rungar/model';
import { type Backoff, isSkipped } from './backoff.js';
import { type Brake, describeBrake, isBraked } from './brake.js';
import { type Hold, holdInForce } from './holds.js';

/** A provider as one scale set sees it at the moment it wants a runner. */
export interface ProviderFacts {
  readonly name: string;
  readonly weight: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly disabled: boolean;
  /** The earlier provider that leads to the same backend, if there is one. */
  readonly sameAs?: string;
  /** Whether the latest listing failed altogether. */
  readonly unreachable: boolean;
  /** Places taken, by any scale set: runners, machines not deleted yet, and claims. */
  readonly taken: number;
  /** Runners and claims of this scale set. */
  readonly own: number;
  /** Claims of this scale set. */
  readonly claimed: number;
  readonly backoff?: Backoff;
  readonly brake?: Brake;
  readonly hold?: Hold;
}

/** A scale set that wants a runner somewhere. */
export interface Claimant {
  readonly scaleSet: string;
  readonly priority: number;
  readonly placement: Placement;
}

/** Why a provider is not tried now. */
export type ExclusionKind = 'disabled' | 'unreachable' | 'full' | 'failing' | 'slowed' | 'held' | 'at_limit';

export interface Exclusion {
  readonly kind: ExclusionKind;
  readonly reason: string;
}

/** The first reason not to try a provider now, if there is one. No provider is asked. */
export function exclusionOf(
  provider: ProviderFacts,
  { priority }: Claimant,
  now: number,
  holdDown: number,
): Exclusion | undefined {
  const { backoff, brake, hold } = provider;
  if (provider.disabled) return { kind: 'disabled', reason: 'disabled' };
  if (provider.sameAs !== undefined) return { kind: 'disabled', reason: `the same backend as ${provider.sameAs}` };
  if (provider.unreachable) return { kind: 'unreachable', reason: 'unreachable' };
  if (isSkipped(backoff, now)) {
    return backoff.full ? { kind: 'full', reason: 'full' } : { kind: 'failing', reason: `failing: ${backoff.refusal}` };
  }
  if (isBraked(brake) && (provider.claimed > 0 || now < brake.tryAgainAt)) {
    return { kind: 'slowed', reason: describeBrake(brake) };
  }
  if (holdInForce(hold, now, holdDown) && priority < hold.priority) {
    return { kind: 'held', reason: `held for ${hold.scaleSet}` };
  }
  if (provider.maxRunners > 0 && provider.taken >= provider.maxRunners) {
    return { kind: 'at_limit', reason: `at its limit of ${provider.maxRunners} runners` };
  }
  return undefined;
}

export interface Candidates {
  /** Best first. */
  readonly usable: readonly ProviderFacts[];
  readonly excluded: readonly { readonly provider: string; readonly exclusion: Exclusion }[];
}

/**
 * The providers to try, in order: by runners per weight to spread, by weight to pack; those whose runners come to
 * nothing after all others. Ties keep the configured order.
 */
export function orderCandidates(
  providers: readonly ProviderFacts[],
  claimant: Claimant,
  now: number,
  holdDown: number,
): Candidates {
  const usable: ProviderFacts[] = [];
  const excluded: { provider: string; exclusion: Exclusion }[] = [];
  for (const provider of providers) {
    const exclusion = exclusionOf(provider, claimant, now, holdDown);
    if (exclusion) excluded.push({ provider: provider.name, exclusion });
    else usable.push(provider);
  }
  const key = ({ own, weight }: ProviderFacts): number => (claimant.placement === 'spread' ? own / weight : -weight);
  usable.sort((a, b) => Number(isBraked(a.brake)) - Number(isBraked(b.brake)) || key(a) - key(b));
  return { usable, excluded };
}

/** Why no provider can be tried, in one line. */
export function describeExclusions(scaleSet: string, excluded: Candidates['excluded']): string {
  if (excluded.length === 0) return `scale set ${scaleSet} has no provider`;
  return `no provider can take a runner: ${excluded.map(({ provider, exclusion }) => `${provider} ${exclusion.reason}`).join('; ')}`;
}
