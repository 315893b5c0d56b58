import type { CallOptions } from '@rungar/model';
import type { RequestName } from './answer.js';
import type { AuthorizedRest } from './authorized-rest.js';
import { type CallScope, withLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import { RESERVED_REQUESTS } from './listing-interval.js';
import type { RestBudgetKeeper } from './rest-budget.js';
import { decodeVersionLife, type RunnerVersionLife } from './wire/runner.js';

export type ReadVersionLife = (version: string, options: CallOptions) => Promise<RunnerVersionLife | undefined>;

export interface RunnerVersionsDeps {
  readonly scope: CallScope;
  readonly authorized: AuthorizedRest;
  readonly budget: RestBudgetKeeper;
  readonly failures: Failures;
  /** The scope's place in the REST API. */
  readonly apiPath: string;
}

const LIMIT_MS = 30_000;
const KEPT = "the rest of GitHub's budget is kept for what cannot wait";

/** GitHub's schedule of the versions of its runner program: one request for each question. */
export function createVersionLives(deps: RunnerVersionsDeps): ReadVersionLife {
  const { scope, authorized, budget, failures, apiPath } = deps;
  return (version, { signal }) => {
    const path = `${apiPath}/actions/runners/deprecations/${encodeURIComponent(version)}`;
    const name: RequestName = { service: 'rest', method: 'GET', path };
    const late = (): Error => failures.ofSilence(name, 'the answer took longer than 30 s');
    return withLimit(scope, LIMIT_MS, late, signal, async (limit) => {
      const left = budget.left();
      if (left && left.remaining <= RESERVED_REQUESTS) throw failures.ofPause(name, left.untilResetMs, KEPT);
      const answer = await authorized.send({ method: 'GET', path }, limit);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw failures.ofAnswer(name, answer);
      const life = decodeVersionLife(answer.body);
      if (!life) throw failures.ofBody(name, answer, 'the life of a runner version');
      return life;
    });
  };
}
