import type { Clock } from '@rungar/model';
import type { Answer } from './answer.js';
import type { RestBudget } from './listing-interval.js';
import type { ServerClock } from './server-clock.js';

/** Keeps the budget that the REST API's answers tell of. */
export interface RestBudgetKeeper {
  note(answer: Answer): void;
  /** Nothing until an answer told, and once the window that it told of is over. */
  left(): RestBudget | undefined;
}

export function createRestBudget(clock: Clock, serverClock: ServerClock): RestBudgetKeeper {
  let told: { readonly limit: number; readonly remaining: number; readonly resetAt: number } | undefined;
  return {
    note({ headers }) {
      const read = (name: string): number => Number(headers[`x-ratelimit-${name}`] || Number.NaN);
      const [limit, remaining, resetAt] = [read('limit'), read('remaining'), read('reset') * 1000];
      if (![limit, remaining, resetAt].every(Number.isFinite)) return;
      const endsAt = clock.now() + resetAt - serverClock.now();
      // Answers to calls at one time come in any order; within a window the budget only shrinks.
      const sameWindow = told !== undefined && Math.abs(told.resetAt - endsAt) < 2_000 && clock.now() < told.resetAt;
      told = {
        limit,
        remaining: sameWindow && told ? Math.min(told.remaining, remaining) : remaining,
        resetAt: endsAt,
      };
    },
    left() {
      if (!told) return undefined;
      const untilResetMs = told.resetAt - clock.now();
      return untilResetMs <= 0 ? undefined : { limit: told.limit, remaining: told.remaining, untilResetMs };
    },
  };
}
