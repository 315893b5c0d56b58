import type { RunnerFacts } from './facts.js';
import { isSuspect } from './suspects.js';

/** A creation whose request has not been sent to its provider: it can still be undone for nothing. */
export interface UnsentCreation {
  readonly name: string;
  readonly startedAt: number;
}

export interface GiveBack {
  /** Creations to undo. */
  readonly cancel: readonly string[];
  /** Runners to remove the safe way, in this order. */
  readonly remove: readonly string[];
}

export interface GiveBackQuestion {
  readonly count: number;
  readonly unsent: readonly UnsentCreation[];
  /** Creations the providers have: each is looked at again when it ends. */
  readonly sent: number;
  readonly runners: Iterable<RunnerFacts>;
  readonly currentRevision: (provider: string) => string | undefined;
  /** Runners a removal has just failed for. */
  readonly skip: ReadonlySet<string>;
  readonly now: number;
}

/** Whom to give back: creations that cost nothing yet, youngest first, then runners without a job. */
export function planGiveBack(question: GiveBackQuestion): GiveBack {
  const { count, unsent, sent, now } = question;
  const youngest = [...unsent].sort((a, b) => b.startedAt - a.startedAt || compare(a.name, b.name));
  const cancel = youngest.slice(0, count).map(({ name }) => name);
  const fromRunners = count - cancel.length - sent;
  if (fromRunners <= 0) return { cancel, remove: [] };
  const candidates: RunnerFacts[] = [];
  for (const runner of question.runners) {
    if (runner.state !== 'busy' && !runner.removing && !question.skip.has(runner.name)) candidates.push(runner);
  }
  const ordered = orderForGivingBack(candidates, question.currentRevision, now);
  return { cancel, remove: ordered.slice(0, fromRunners).map(({ name }) => name) };
}

/**
 * Those under suspicion first, then starting before idle, then other revisions, then the oldest (an unknown age is
 * the oldest), then by name.
 */
export function orderForGivingBack(
  runners: readonly RunnerFacts[],
  currentRevision: (provider: string) => string | undefined,
  now: number,
): RunnerFacts[] {
  const rank = (runner: RunnerFacts): number =>
    (isSuspect(runner, now) ? 0 : 4) +
    (runner.state === 'starting' ? 0 : 2) +
    (runner.revision === currentRevision(runner.place.provider) ? 1 : 0);
  return runners
    .map((runner) => ({ runner, rank: rank(runner) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        (a.runner.createdAt ?? Number.NEGATIVE_INFINITY) - (b.runner.createdAt ?? Number.NEGATIVE_INFINITY) ||
        compare(a.runner.name, b.runner.name),
    )
    .map(({ runner }) => runner);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
