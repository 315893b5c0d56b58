import { simulate } from '../../plan/analyse.js';
import type { Facts } from '../facts.js';
import { NO_CONFIGURATION, taskTimeoutOf } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import type { Found } from '../rule.js';

/** An idle timeout that hardly any build outlasts, in seconds. */
const COMMON_IDLE_TIMEOUT = 900;

/** Whether a node may leave while the run still counts on it: by the plan where there is one, else by the timeouts. */
export function* idleGapHits(pool: PoolFacts, facts: Facts, idle: number): Iterable<Found> {
  const { plan, durations, configuration } = facts;
  const { count, settings } = pool;
  const { at } = settings;
  if (plan !== undefined && durations !== undefined && count !== undefined) {
    const concurrency = settings.execution?.concurrency?.value ?? 1;
    const { longestGap } = simulate({ plan, configuration, durations, concurrency, overheadMs: 0 }, count);
    const gap = longestGap / 1000;
    if (gap > idle) {
      yield {
        at,
        severity: 'error',
        message: `a node stands idle for ${secondsText(gap)} in this plan, and leaves after ${secondsText(idle)}`,
      };
    }
    return;
  }
  const task = taskTimeoutOf(facts, pool);
  if (task === undefined) yield { unknown: NO_CONFIGURATION };
  else if (idle < task) {
    yield {
      at,
      ...(idle >= COMMON_IDLE_TIMEOUT && { severity: 'info' }),
      message: `a node leaves after ${secondsText(idle)} without work, and a build others wait for may take ${secondsText(task)}`,
      fix: 'give --plan and --durations to see whether it happens in this release, or raise the idle timeout',
    };
  }
}

/** `40 min`, `90 s`. */
function secondsText(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds)} s`;
}
