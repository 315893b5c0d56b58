/** What is left of the requests that GitHub's REST API allows in its present window. */
export interface RestBudget {
  readonly limit: number;
  readonly remaining: number;
  readonly untilResetMs: number;
}

/** The last requests of a window are kept for renewing tokens. */
export const RESERVED_REQUESTS = 100;
/** Below this share of the limit somebody else spends the budget too. */
const SCARCE = 0.1;
/** How fast the budget may go, as a multiple of the pace at which it would just last. */
const PACE_WHILE_PLENTY = 5;
const PACE_WHILE_SCARCE = 0.5;
/** What is scarce has to last this much longer than its window: a pace that follows the window alone spends it all. */
const SCARCE_MARGIN_MS = 10 * 60_000;

/**
 * How long to wait after requests before the next of their kind. It grows as the budget shrinks, so that the budget
 * never ends before its window.
 * @param cost how many requests, those answered "not modified" left out
 * @param budget unknown where GitHub sets no limit
 * @returns nothing when they cannot be paid for in this window
 */
export function spendingPauseMs(cost: number, budget: RestBudget | undefined): number | undefined {
  if (!budget) return 0;
  const spendable = budget.remaining - RESERVED_REQUESTS;
  if (cost > spendable) return undefined;
  if (cost === 0) return 0;
  if (budget.remaining >= budget.limit * SCARCE) return (budget.untilResetMs * cost) / (spendable * PACE_WHILE_PLENTY);
  return ((budget.untilResetMs + SCARCE_MARGIN_MS) * cost) / (spendable * PACE_WHILE_SCARCE);
}

const FIRST_FAILURE_MS = 5_000;
const LONGEST_FAILURE_MS = 30_000;

/** How long after a failure nothing is asked: longer each time in a row. @param failures 1 for the first */
export function failureIntervalMs(failures: number): number {
  return Math.min(FIRST_FAILURE_MS * 2 ** (failures - 1), LONGEST_FAILURE_MS);
}
