import type { Answer, RequestName } from './answer.js';
import type { AuthorizedRest } from './authorized-rest.js';
import type { CallLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import type { RefuseScope } from './scope-refusal.js';
import { decodeRunnerPage, type ListedRunner } from './wire/runner.js';

export interface RunnerPagesDeps {
  readonly authorized: AuthorizedRest;
  readonly failures: Failures;
  readonly refuseScope: RefuseScope;
  /** The scope's place in the REST API. */
  readonly apiPath: string;
}

/** What several requests brought. */
export interface ReadRunners {
  readonly runners: readonly ListedRunner[];
  readonly pages: number;
  /** How many of the requests count against GitHub's budget: those answered "not modified" do not. */
  readonly counted: number;
}

/** Reads runners from the REST API. */
export interface RunnerPages {
  readonly name: RequestName;
  readAll(limit: CallLimit): Promise<ReadRunners>;
  /** The runners of these very names, one request each. */
  readNamed(names: readonly string[], limit: CallLimit): Promise<ReadRunners>;
}

interface Page {
  readonly runners: readonly ListedRunner[];
  readonly link: string;
  readonly counted: boolean;
}

const PAGE_SIZE = 100;
const AT_ONCE = 8;
/** Of how many questions the answers are kept, for GitHub to say that they still hold. */
const KEPT_ANSWERS = 1_024;

/** The address of a relation in a `Link` header. */
function linkOf(header: string, relation: string): URL | undefined {
  for (const link of header.split(',')) {
    const found = /<([^>]*)>\s*;(.*)/.exec(link);
    if (found?.[1] && new RegExp(`\\brel="?${relation}\\b`).test(found[2] ?? '')) {
      return URL.canParse(found[1]) ? new URL(found[1]) : undefined;
    }
  }
  return undefined;
}

/** Runs `work` for every item, some at once; nothing is begun after the first error. */
async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** As they are asked for: a wrong `Link` may tell of any number of pages. */
function* pageNumbers(last: number): Generator<number> {
  for (let number = 2; number <= last; number++) yield number;
}

const collect = (pages: readonly Page[]): ReadRunners => ({
  runners: pages.flatMap(({ runners }) => runners),
  pages: pages.length,
  counted: pages.filter(({ counted }) => counted).length,
});

export function createRunnerPages({ authorized, failures, refuseScope, apiPath }: RunnerPagesDeps): RunnerPages {
  const path = `${apiPath}/actions/runners`;
  const name: RequestName = { service: 'rest', method: 'GET', path };
  const kept = new Map<string, { readonly etag: string; readonly page: Page }>();

  const keep = (query: string, { headers: { etag } }: Answer, page: Page): void => {
    kept.delete(query);
    if (!etag) return;
    kept.set(query, { etag, page: { ...page, counted: false } });
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_ANSWERS) break;
      kept.delete(oldest);
    }
  };

  /** @param query of the page, as GitHub's own links have it */
  const readPage = async (query: string, limit: CallLimit): Promise<Page> => {
    const known = kept.get(query);
    const request = { method: 'GET', path, query, ...(known && { ifNoneMatch: known.etag }) } as const;
    const answer = await authorized.send(request, limit);
    if (answer.status === 304 && known) return known.page;
    if (answer.status !== 200) throw await refuseScope(name, answer, limit);
    const runners = decodeRunnerPage(answer.body);
    if (!runners) throw failures.ofBody(name, answer, 'a list of runners');
    const page: Page = { runners, link: answer.headers.link ?? '', counted: true };
    keep(query, answer, page);
    return page;
  };

  /** Pages 2 to `last`, some at once. */
  const readNumbered = async (last: number, limit: CallLimit): Promise<readonly Page[]> => {
    const pages: Page[] = [];
    await forEach(pageNumbers(last), async (number) => {
      pages.push(await readPage(`?per_page=${PAGE_SIZE}&page=${number}`, limit));
    });
    return pages;
  };

  /** Page after page, each as the one before it says. */
  const readLinked = async (first: URL | undefined, limit: CallLimit): Promise<readonly Page[]> => {
    const pages: Page[] = [];
    const seen = new Set<string>();
    // Only the link's query is followed, so that the token goes nowhere but to the API's own host.
    for (let next = first; next && !seen.has(next.search); ) {
      seen.add(next.search);
      const page = await readPage(next.search, limit);
      pages.push(page);
      next = linkOf(page.link, 'next');
    }
    return pages;
  };

  return {
    name,
    async readAll(limit) {
      const first = await readPage(`?per_page=${PAGE_SIZE}`, limit);
      const last = Number(linkOf(first.link, 'last')?.searchParams.get('page') ?? 0);
      const more =
        Number.isSafeInteger(last) && last > 1
          ? await readNumbered(last, limit)
          : await readLinked(linkOf(first.link, 'next'), limit);
      return collect([first, ...more]);
    },
    async readNamed(names, limit) {
      const pages: Page[] = [];
      const readOne = async (wanted: string): Promise<void> => {
        const page = await readPage(`?name=${encodeURIComponent(wanted)}`, limit);
        // A server that does not know the question answers with whoever comes first.
        pages.push({ ...page, runners: page.runners.filter((runner) => runner.name === wanted) });
      };
      const [first, ...others] = names;
      // Of a server in trouble one question is enough.
      if (first !== undefined) await readOne(first);
      await forEach(others, readOne);
      return collect(pages);
    },
  };
}
