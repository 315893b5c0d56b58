import type { ScaleSetStatistics } from '@rungar/model';
import {
  isConnected,
  type Memory,
  type Replacement,
  type RunnerFacts,
  type SeenProvider,
  type Sighting,
} from './facts.js';
import { isDue, type RunnerCounts, statisticsAgree } from './github-status.js';
import { type RunnerLimits, staysUnasked } from './removal.js';
import { isNews } from './sighting.js';

/**
 * Most passes find every machine where it was, and nothing to do. To see that costs less than to plan, and with
 * hundreds of scale sets the difference is most of the work. What is said here is one-sided: a pass that is called
 * quiet would have an empty plan (quiet.test.ts holds the two together), and one that is not is planned.
 */

/** What a scale set knows beside its runners, as far as it can keep a pass from being quiet. */
export interface QuietQuestion extends Pick<Memory, 'leaving' | 'left' | 'orphans' | 'unreachable'> {
  readonly creating: { readonly size: number };
  readonly replacement?: Replacement | undefined;
  /** Reasons shown for what waits. */
  readonly waits: { readonly size: number };
  readonly statistics?: ScaleSetStatistics | undefined;
  readonly counts: RunnerCounts;
  /** The newest of GitHub's listings used so far. */
  readonly last?: { readonly begunAt: number; readonly pages: number } | undefined;
  readonly now: number;
}

/** Whether nothing but the runners themselves could give a pass something to do, or to ask GitHub. */
export const isCalm = (question: QuietQuestion): boolean =>
  question.leaving.size === 0 &&
  question.left.size === 0 &&
  question.creating.size === 0 &&
  question.orphans.size === 0 &&
  question.unreachable.size === 0 &&
  question.waits.size === 0 &&
  question.replacement === undefined &&
  !isDue(question.counts.registered, question.last, question.now) &&
  statisticsAgree(question.statistics, question.counts);

/** Whether everything has answered. */
export function haveAnswered(providers: Iterable<SeenProvider>): boolean {
  for (const { error, parts } of providers)
    if (error !== undefined || parts.some((part) => part.error !== undefined)) return false;
  return true;
}

/** What a runner is held against. */
export interface RestingRule {
  /** The revision its provider makes now, by provider. */
  readonly revisions: ReadonlyMap<string, string>;
  readonly limits: RunnerLimits;
  readonly now: number;
}

/** Whether a runner and its machine, which is alive, are as they were and may stay so. */
export const isAtRest = (
  runner: RunnerFacts,
  id: string | undefined,
  sighting: Sighting,
  currentRevision: string | undefined,
  { limits, now }: RestingRule,
): boolean =>
  runner.state !== 'starting' &&
  !runner.removing &&
  runner.offlineSince === undefined &&
  isConnected(runner.githubStatus) &&
  !isNews(runner, id, sighting, undefined) &&
  staysUnasked(runner, currentRevision, limits, now);
