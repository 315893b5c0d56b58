import type { CallOptions, RunnerStatuses } from '@rungar/model';
import type { Answer } from './answer.js';
import type { AuthorizedRest } from './authorized-rest.js';
import { type CallLimit, type CallScope, waitFor, withLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import type { RefuseScope } from './scope-refusal.js';
import { decodeRunnerPage, type ListedRunner } from './wire/runner.js';

/** The REST listing of the scope's runners, shared by all who want it. */
export type ReadRunnerStatuses = (options: CallOptions & { begunAfter?: number }) => Promise<RunnerStatuses>;

export interface RunnerStatusesDeps {
  readonly scope: CallScope;
  readonly authorized: AuthorizedRest;
  readonly failures: Failures;
  readonly refuseScope: RefuseScope;
  /** The scope's place in the REST API. */
  readonly apiPath: string;
}

const FRESH_MS = 15_000;
const FAILURE_FRESH_MS = 5_000;
const LISTING_LIMIT_MS = 30_000;
const PAGE_SIZE = 100;
const PAGES_AT_ONCE = 8;

interface Listing {
  readonly begunAt: number;
  readonly result: Promise<RunnerStatuses>;
  state: 'running' | 'done' | 'failed';
  /** On the monotonic clock. */
  endedAt: number;
}

/** The address of a relation in a `Link` header. */
function linkOf(answer: Answer, relation: string): URL | undefined {
  for (const link of (answer.headers.link ?? '').split(',')) {
    const found = /<([^>]*)>\s*;(.*)/.exec(link);
    if (found?.[1] && new RegExp(`\\brel="?${relation}\\b`).test(found[2] ?? '')) {
      return URL.canParse(found[1]) ? new URL(found[1]) : undefined;
    }
  }
  return undefined;
}

export function createRunnerStatuses(deps: RunnerStatusesDeps): ReadRunnerStatuses {
  const { scope, authorized, failures, refuseScope, apiPath } = deps;
  const { clock } = scope;
  const path = `${apiPath}/actions/runners`;
  const name = { service: 'rest', method: 'GET', path } as const;

  /** @param query of the page, as GitHub's own links have it */
  const readPage = async (
    query: string,
    limit: CallLimit,
  ): Promise<{ answer: Answer; runners: readonly ListedRunner[] }> => {
    const answer = await authorized.send({ method: 'GET', path, query }, limit);
    if (answer.status !== 200) throw await refuseScope(name, answer, limit);
    const runners = decodeRunnerPage(answer.body);
    if (!runners) throw failures.ofBody(name, answer, 'a list of runners');
    return { answer, runners };
  };

  /** Pages 2 to `last`, some at once. */
  const readNumbered = async (last: number, limit: CallLimit): Promise<readonly ListedRunner[][]> => {
    const pages: ListedRunner[][] = [];
    let next = 2;
    const worker = async (): Promise<void> => {
      while (next <= last) {
        const { runners } = await readPage(`?per_page=${PAGE_SIZE}&page=${next++}`, limit);
        pages.push([...runners]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PAGES_AT_ONCE, last - 1) }, worker));
    return pages;
  };

  /** Page after page, each as the one before it says. */
  const readLinked = async (first: URL | undefined, limit: CallLimit): Promise<readonly ListedRunner[][]> => {
    const pages: ListedRunner[][] = [];
    const seen = new Set<string>();
    // Only the link's query is followed, so that the token goes nowhere but to the API's own host.
    for (let next = first; next && !seen.has(next.search); ) {
      seen.add(next.search);
      const { answer, runners } = await readPage(next.search, limit);
      pages.push([...runners]);
      next = linkOf(answer, 'next');
    }
    return pages;
  };

  const list = async (begunAt: number, limit: CallLimit): Promise<RunnerStatuses> => {
    const { answer, runners } = await readPage(`?per_page=${PAGE_SIZE}`, limit);
    const last = Number(linkOf(answer, 'last')?.searchParams.get('page') ?? 0);
    const more =
      Number.isSafeInteger(last) && last > 1
        ? await readNumbered(last, limit)
        : await readLinked(linkOf(answer, 'next'), limit);
    const all = [runners, ...more].flat();
    return {
      begunAt,
      pages: 1 + more.length,
      runners: new Map(all.map(({ id, name, status }) => [name, { id, status }])),
    };
  };

  const late = (): Error => failures.ofSilence(name, 'the listing took longer than 30 s');

  const begin = (): Listing => {
    const begunAt = clock.now();
    const result = withLimit(scope, LISTING_LIMIT_MS, late, undefined, (limit) => list(begunAt, limit));
    const listing: Listing = { begunAt, result, state: 'running', endedAt: begunAt };
    const end = (state: 'done' | 'failed'): void => {
      listing.state = state;
      listing.endedAt = clock.now();
    };
    result.then(
      () => end('done'),
      () => end('failed'),
    );
    return listing;
  };

  const willDo = (listing: Listing, begunAfter: number): boolean => {
    const now = clock.now();
    switch (listing.state) {
      case 'failed':
        // Asking again at once what has just failed helps nobody, whoever asks.
        return now - listing.endedAt < FAILURE_FRESH_MS;
      case 'done':
        return now - listing.begunAt < FRESH_MS && listing.begunAt > begunAfter;
      case 'running':
        return listing.begunAt > begunAfter;
    }
  };

  let latest: Listing | undefined;
  return async ({ signal, begunAfter = Number.NEGATIVE_INFINITY }) => {
    signal.throwIfAborted();
    if (!latest || !willDo(latest, begunAfter)) latest = begin();
    return waitFor(latest.result, signal);
  };
}
