import { type Misfortune, YOUNG_DEATH_MS } from '../decide/brake.js';
import type { Leaving } from './runners.js';
import type { ScaleSet } from './scale-set.js';

/**
 * Counts a runner that has come to nothing, as soon as that shows: creations on its provider slow down when it happens
 * again and again. What became of it may be known only much later, and until then every pass would make another one.
 */
export function noteMisfortune(set: ScaleSet, leaving: Leaving): void {
  const { runner } = leaving;
  const kind = misfortuneOf(leaving, set.deps.clock.now());
  if (!kind) return;
  leaving.misfortune = true;
  set.deps.fleet.cameToNothing(runner.place.provider, set.name, {
    runner: runner.name,
    kind,
    createdAt: runner.createdAt ?? runner.countedAt,
  });
}

/** It has done a job after all, so quickly that nobody has seen it connected. */
export function takeBackMisfortune({ name, deps }: ScaleSet, { misfortune, runner }: Leaving): void {
  if (misfortune) deps.fleet.isWell(runner.place.provider, name, deps.clock.now());
}

function misfortuneOf({ runner, endedAt, outcome }: Leaving, now: number): Misfortune | undefined {
  const { adopted, job, state, connectedAt } = runner;
  if (adopted || job || state === 'busy') return undefined;
  const ended = endedAt !== undefined || outcome?.reason === 'unregistered';
  if (outcome?.reason === 'never_connected' || (ended && connectedAt === undefined)) return 'never_connected';
  return ended && connectedAt !== undefined && (endedAt ?? now) - connectedAt < YOUNG_DEATH_MS
    ? 'died_young'
    : undefined;
}
