import { type Clock, createRedactor, type RunnerStatuses, type ScaleSetService } from '@rungar/model';
import { createFailures } from '../../packages/github/src/errors.js';
import type { RestBudget } from '../../packages/github/src/listing-interval.js';
import type { ReadRunners } from '../../packages/github/src/runner-pages.js';
import { createRunnerStatuses, type ReadRunnerStatuses } from '../../packages/github/src/runner-statuses.js';
import { createServerClock } from '../../packages/github/src/server-clock.js';

const HOUR_MS = 3_600_000;
const PAGE = 100;
/** What GitHub allows an App of a large organisation in an hour. */
const LIMIT = 12_500;

/**
 * The client's own way to ask for runners: together, page by page or by name, and within GitHub's budget.
 * @param ask what answers a request
 * @param onRequests told how many requests were sent
 */
export function runnerListing(
  clock: Clock,
  ask: ScaleSetService['runnerStatuses'],
  onRequests: (count: number) => void,
): ReadRunnerStatuses {
  const budget = hourlyBudget(clock);
  const spend = (answer: RunnerStatuses, requests: number): ReadRunners => {
    budget.spend(requests);
    onRequests(requests);
    const runners = [...answer.runners].map(([name, { id, status }]) => ({ id, name, status }));
    return { runners, pages: Math.max(requests, answer.pages), counted: requests };
  };
  return createRunnerStatuses({
    scope: { clock, closing: new AbortController().signal },
    budget,
    failures: createFailures(createRedactor(), createServerClock(clock), () => undefined),
    pages: {
      name: { service: 'rest', method: 'GET', path: '/orgs/acme/actions/runners' },
      async readAll({ signal }) {
        // One begun before will not do: the client keeps those itself.
        const answer = await ask({ signal, begunAfter: clock.now() });
        return spend(answer, Math.max(1, Math.ceil(answer.runners.size / PAGE)));
      },
      async readNamed(names, { signal }) {
        return spend(await ask({ signal, only: names }), names.length);
      },
    },
  });
}

/** GitHub's budget, as its answers tell of it. */
function hourlyBudget(clock: Clock): { note(): void; left(): RestBudget; spend(requests: number): void } {
  let endsAt = 0;
  let remaining = 0;
  const renew = (): void => {
    if (clock.now() < endsAt) return;
    endsAt = clock.now() + HOUR_MS;
    remaining = LIMIT;
  };
  return {
    note() {},
    left() {
      renew();
      return { limit: LIMIT, remaining, untilResetMs: endsAt - clock.now() };
    },
    spend(requests) {
      renew();
      remaining = Math.max(0, remaining - requests);
    },
  };
}
