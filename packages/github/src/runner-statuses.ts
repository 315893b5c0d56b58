import type { CallOptions, RunnerStatuses } from '@rungar/model';
import { type CallLimit, type CallScope, waitFor, withLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import { failureIntervalMs, RESERVED_REQUESTS, spendingPauseMs } from './listing-interval.js';
import type { RestBudgetKeeper } from './rest-budget.js';
import type { ReadRunners, RunnerPages } from './runner-pages.js';

/** The REST listing of the scope's runners, shared by all who want it. */
export type ReadRunnerStatuses = (
  options: CallOptions & { readonly begunAfter?: number; readonly only?: readonly string[] },
) => Promise<RunnerStatuses>;

export interface RunnerStatusesDeps {
  readonly scope: CallScope;
  readonly pages: RunnerPages;
  readonly budget: RestBudgetKeeper;
  readonly failures: Failures;
}

const LISTING_LIMIT_MS = 30_000;
/** A listing is as good as new for so long, while that is cheap; for who waits for a runner to connect, not so long. */
const FRESH_MS = 15_000;
const FRESH_WHILE_STARTING_MS = 4_500;

const KEPT_FOR_TOKENS = "the rest of GitHub's budget is kept for renewing tokens until its window ends";
const SPARING = "GitHub's budget of requests asks for a pause";

interface Listing {
  readonly begunAt: number;
  readonly result: Promise<RunnerStatuses>;
  state: 'running' | 'done' | 'failed';
}

/** Of several who ask at one time, put together before anything is sent. */
interface Question {
  readonly names: Set<string>;
  readonly answer: Promise<RunnerStatuses>;
}

export function createRunnerStatuses({ scope, pages, budget, failures }: RunnerStatusesDeps): ReadRunnerStatuses {
  const { clock } = scope;
  const late = (): Error => failures.ofSilence(pages.name, 'the listing took longer than 30 s');
  let latest: Listing | undefined;
  let gathering: Question | undefined;
  /** Of the newest requests, whatever they asked; it ends with the first success. */
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let failuresInRow = 0;
  /** Of the newest listing: what it cost, and how many pages it had. */
  let cost = 1;
  let pageCount = 1;
  let namedPausedUntil = 0;

  const read = (begunAt: number, work: (limit: CallLimit) => Promise<ReadRunners>): Promise<[RunnerStatuses, number]> =>
    withLimit(scope, LISTING_LIMIT_MS, late, undefined, async (limit) => {
      const { runners, pages: count, counted } = await work(limit);
      const byName = new Map(runners.map(({ name, ...known }) => [name, known] as const));
      return [{ begunAt, pages: count, runners: byName }, counted];
    });

  const list = async (begunAt: number): Promise<RunnerStatuses> => {
    const [statuses, counted] = await read(begunAt, (limit) => pages.readAll(limit));
    cost = Math.max(1, counted);
    pageCount = statuses.pages;
    return statuses;
  };

  const succeeded = (): void => {
    failure = undefined;
    failuresInRow = 0;
  };
  const failed = (error: unknown): void => {
    failure = { error, at: clock.now() };
    failuresInRow += 1;
  };

  /**
   * Lets a question out.
   * @throws the latest failure for a while: asking again at once what has just failed helps nobody, whoever asks
   */
  const admit = (): void => {
    if (!failure) return;
    if (clock.now() - failure.at < failureIntervalMs(failuresInRow)) throw failure.error;
    // Whoever comes before it is known whether this one works is told the same again.
    failure = { ...failure, at: clock.now() };
  };

  const begin = (): Listing => {
    const begunAt = clock.now();
    const listing: Listing = { begunAt, result: list(begunAt), state: 'running' };
    listing.result.then(
      () => {
        listing.state = 'done';
        succeeded();
      },
      (error: unknown) => {
        listing.state = 'failed';
        failed(error);
      },
    );
    return listing;
  };

  /** @throws GitHubError `unavailable` when the rest of the budget is kept for renewing tokens */
  const begunAffordably = (): Listing => {
    const left = budget.left();
    if (left && left.remaining - RESERVED_REQUESTS < cost)
      throw failures.ofPause(pages.name, left.untilResetMs, KEPT_FOR_TOKENS);
    admit();
    return begin();
  };

  const isFresh = (listing: Listing, freshMs: number): boolean => {
    const pauseMs = spendingPauseMs(cost, budget.left()) ?? Number.POSITIVE_INFINITY;
    return clock.now() - listing.begunAt < Math.max(freshMs, pauseMs);
  };

  /** The newest listing where it will do. */
  const reusable = (begunAfter: number, freshMs: number): Listing | undefined => {
    if (!latest || latest.state === 'failed' || latest.begunAt <= begunAfter) return undefined;
    return latest.state === 'running' || isFresh(latest, freshMs) ? latest : undefined;
  };

  const pauseNamed = (from: number, requests: number): void => {
    namedPausedUntil = from + (spendingPauseMs(requests, budget.left()) ?? 0);
  };

  const readNamed = async (names: readonly string[]): Promise<RunnerStatuses> => {
    const begunAt = clock.now();
    const pauseMs = namedPausedUntil - begunAt;
    if (pauseMs > 0) throw failures.ofPause(pages.name, pauseMs, SPARING);
    admit();
    pauseNamed(begunAt, names.length);
    try {
      const [statuses, counted] = await read(begunAt, (limit) => pages.readNamed(names, limit));
      pauseNamed(begunAt, counted);
      succeeded();
      // Each was asked for by its name: who is missing is missing for sure.
      return { ...statuses, pages: 1 };
    } catch (error) {
      failed(error);
      throw error;
    }
  };

  const areCheaper = (names: readonly string[]): boolean =>
    names.length < pageCount && spendingPauseMs(names.length, budget.left()) !== undefined;

  const readAll = (): Promise<RunnerStatuses> => {
    latest = begunAffordably();
    return latest.result;
  };

  /** The scale sets look for their starting runners at the same instant: together they may need but the listing. */
  const askTogether = (only: readonly string[]): Promise<RunnerStatuses> => {
    if (!gathering) {
      const names = new Set<string>();
      const answer = Promise.resolve().then(() => {
        gathering = undefined;
        const all = [...names];
        return areCheaper(all) ? readNamed(all) : readAll();
      });
      gathering = { names, answer };
    }
    for (const name of only) gathering.names.add(name);
    return gathering.answer;
  };

  return async ({ signal, begunAfter = Number.NEGATIVE_INFINITY, only }) => {
    signal.throwIfAborted();
    const known = reusable(begunAfter, only ? FRESH_WHILE_STARTING_MS : FRESH_MS);
    if (known) return waitFor(known.result, signal);
    return waitFor(only ? askTogether(only) : readAll(), signal);
  };
}
