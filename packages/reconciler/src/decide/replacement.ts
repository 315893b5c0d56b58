import type { Memory, RunnerFacts } from './facts.js';
import type { Proof } from './proof.js';

export interface ReplacementCandidate {
  readonly runner: RunnerFacts;
  readonly reason: 'outdated' | 'expired';
  readonly proof: Proof;
}

export type ReplacementStep =
  | { readonly kind: 'none' }
  /** What was under way no longer applies: the old runner has gone or works, or the new one came to nothing. */
  | { readonly kind: 'drop' }
  /** One more runner is wanted for as long as it takes. */
  | { readonly kind: 'create_first'; readonly old: string; readonly reason: ReplacementCandidate['reason'] }
  /** There is no room for one more: the old one goes first. */
  | { readonly kind: 'remove_first'; readonly candidate: ReplacementCandidate }
  /** The new one has connected: the old one may go. */
  | { readonly kind: 'finish'; readonly candidate: ReplacementCandidate; readonly by: string }
  | { readonly kind: 'wait'; readonly old: string; readonly why: string };

/**
 * What to do about runners that are well but outdated or aged: one at a time, the oldest first, and never so that a
 * bad image or a lack of room empties the pool.
 */
export function decideReplacement(
  candidates: readonly ReplacementCandidate[],
  memory: Memory,
  maxRunners: number,
): ReplacementStep {
  return memory.replacement
    ? continueReplacement(candidates, memory, memory.replacement)
    : startReplacement(candidates, memory, maxRunners);
}

function continueReplacement(
  candidates: readonly ReplacementCandidate[],
  memory: Memory,
  { old, by, removedFirst }: NonNullable<Memory['replacement']>,
): ReplacementStep {
  const fresh = by === undefined ? undefined : memory.runners.get(by);
  const underWay = by === undefined || fresh !== undefined || memory.creating.has(by);
  const connected = fresh !== undefined && fresh.state !== 'starting';
  if (removedFirst) {
    const needless = by === undefined && memory.desired !== undefined && memory.alive >= memory.desired;
    if (connected || needless || !underWay) return { kind: 'drop' };
    return { kind: 'wait', old, why: 'the runner that replaced it has not connected yet' };
  }
  const candidate = candidates.find(({ runner }) => runner.name === old);
  if (!candidate || !underWay) return { kind: 'drop' };
  if (by !== undefined && connected) return { kind: 'finish', candidate, by };
  return { kind: 'wait', old, why: 'its replacement has not connected yet' };
}

function startReplacement(
  candidates: readonly ReplacementCandidate[],
  memory: Memory,
  maxRunners: number,
): ReplacementStep {
  const oldest = oldestOf(candidates);
  if (!oldest || memory.desired === undefined) return { kind: 'none' };
  const old = oldest.runner.name;
  if (memory.alive > memory.desired)
    return { kind: 'wait', old, why: 'there are more runners than wanted, so it goes with them' };
  if (memory.creationFailed) return { kind: 'wait', old, why: 'the last creation failed' };
  if (!memory.hasCandidate) return { kind: 'wait', old, why: 'no provider can take its replacement' };
  if (memory.alive < maxRunners) return { kind: 'create_first', old, reason: oldest.reason };
  return { kind: 'remove_first', candidate: oldest };
}

function oldestOf(candidates: readonly ReplacementCandidate[]): ReplacementCandidate | undefined {
  const age = ({ runner }: ReplacementCandidate): number => runner.createdAt ?? Number.NEGATIVE_INFINITY;
  return candidates.reduce<ReplacementCandidate | undefined>((oldest, next) => {
    if (next.runner.removing) return oldest;
    if (!oldest || age(next) < age(oldest)) return next;
    return age(next) === age(oldest) && next.runner.name < oldest.runner.name ? next : oldest;
  }, undefined);
}
