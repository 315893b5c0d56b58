import type { GitHubStatus, RunnerStatuses, ScaleSetStatistics } from '@rungar/model';
import { isConnected, MINUTE, type RunnerFacts, type SeenFleet } from './facts.js';
import { type Match, matchByName } from './match.js';
import { type Answer, offlineLimitOf } from './removal.js';

/**
 * What a listing says of a runner. One begun before the runner counted cannot show it absent, and one begun before a
 * message told of its job is older than what is known.
 */
export function answerFor(
  runner: Pick<RunnerFacts, 'name' | 'countedAt' | 'toldAt'>,
  statuses: RunnerStatuses | undefined,
): Answer | undefined {
  if (!statuses || (runner.toldAt !== undefined && statuses.begunAt <= runner.toldAt)) return undefined;
  const entry = statuses.runners.get(runner.name);
  if (entry) return { status: entry.status, at: statuses.begunAt };
  return statuses.begunAt > runner.countedAt ? { status: 'not_registered', at: statuses.begunAt } : undefined;
}

/** A change in what GitHub says of a runner. */
export interface StatusChange {
  readonly from?: GitHubStatus;
  readonly to: GitHubStatus;
  readonly at: number;
  /** When the unbroken row of answers that show it not connected began. */
  readonly offlineSince?: number;
}

/** Nothing, when the answer only repeats what is known. */
export function statusChange(runner: RunnerFacts, answer: Answer | undefined): StatusChange | undefined {
  if (!answer) return undefined;
  const connected = isConnected(answer.status);
  const offlineSince = connected ? undefined : (runner.offlineSince ?? answer.at);
  if (runner.githubStatus === answer.status && runner.offlineSince === offlineSince) return undefined;
  return {
    ...(runner.githubStatus !== undefined && { from: runner.githubStatus }),
    to: answer.status,
    at: answer.at,
    ...(offlineSince !== undefined && { offlineSince }),
  };
}

/** The longest that a listing of one page is relied on while the numbers agree; of more pages, longer. */
const REFRESH_MS = 2 * MINUTE;
const REFRESH_PER_PAGE_MS = 6_000;
const REFRESH_MAX_MS = 10 * MINUTE;

export interface ListingQuestion {
  readonly runners: ReadonlyMap<string, RunnerFacts>;
  /** Of a name that is no runner's: whether it is known all the same, as of one that leaves. */
  readonly isKnown: (name: string) => boolean;
  readonly orphans: ReadonlyMap<string, number>;
  readonly fleet: SeenFleet;
  /** The two, where they have been matched already. */
  readonly match?: Match;
  readonly statistics?: ScaleSetStatistics;
  /** The newest listing used so far. */
  readonly last?: { readonly begunAt: number; readonly pages: number };
  readonly startTimeoutMs: number;
  readonly now: number;
}

/** Whether this pass needs GitHub's listing, and how new it has to be to prove what waits for proof. */
export function listingNeeded(question: ListingQuestion): { readonly begunAfter?: number } | undefined {
  const { startTimeoutMs, now, match = matchByName(question.fleet, question.runners) } = question;
  let needed = question.orphans.size > 0 || isDue(question.runners.size, question.last, now);
  let begunAfter: number | undefined;
  const provesAfter = (limit: number | undefined): void => {
    if (limit !== undefined && limit < now) begunAfter = Math.max(begunAfter ?? limit, limit);
  };
  const counts = { registered: 0, busy: 0, idle: 0 };
  for (const runner of match.runners) {
    const machine = match.machines[counts.registered++];
    if (runner.state === 'busy') counts.busy++;
    else if (runner.state === 'idle') counts.idle++;
    if (!machine || runner.state === 'starting' || runner.githubStatus === undefined) needed = true;
    if (runner.offlineSince === undefined) continue;
    needed = true;
    provesAfter(offlineLimitOf(runner, startTimeoutMs));
  }
  needed ||= match.others.some(({ machine }) => !question.isKnown(machine.name));
  for (const since of question.orphans.values()) provesAfter(since + startTimeoutMs);
  if (!needed && statisticsAgree(question.statistics, counts)) return undefined;
  return begunAfter === undefined ? {} : { begunAfter };
}

/** Whether the newest listing used has become too old for so many runners, while nothing else asks for one. */
export function isDue(runners: number, last: ListingQuestion['last'], now: number): boolean {
  if (!last) return runners > 0;
  const interval = Math.max(REFRESH_MS, last.pages * REFRESH_PER_PAGE_MS);
  return now - last.begunAt >= (runners === 0 ? REFRESH_MAX_MS : Math.min(interval, REFRESH_MAX_MS));
}

/** Runners as GitHub's statistics count them. */
export interface RunnerCounts {
  readonly registered: number;
  readonly busy: number;
  readonly idle: number;
}

/** Whether GitHub counts the runners as they are known here. */
export function statisticsAgree(statistics: ScaleSetStatistics | undefined, counts: RunnerCounts): boolean {
  return (
    statistics !== undefined &&
    statistics.registeredRunners === counts.registered &&
    statistics.busyRunners === counts.busy &&
    statistics.idleRunners === counts.idle
  );
}
