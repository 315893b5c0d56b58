import type { Result } from './benchmark.js';

export type Verdict = 'target' | 'pass' | 'missed' | 'noisy' | 'info';

/** Ratios further apart than this tell of the machine, not of the program. */
const WIDEST_SPREAD = 1.5;

export function isNoisy({ spread }: Result): boolean {
  return spread !== undefined && spread.max > spread.min * WIDEST_SPREAD;
}

/** `target` where that is met, else `pass` where the bar is; `noisy` is neither good nor bad. */
export function judge(result: Result): Verdict {
  if (result.bar === undefined) return 'info';
  if (isNoisy(result)) return 'noisy';
  if (result.target !== undefined && meets(result, result.target)) return 'target';
  return meets(result, result.bar) ? 'pass' : 'missed';
}

function meets(result: Result, limit: number): boolean {
  return result.better === 'higher' ? result.ratio >= limit : result.ratio <= limit;
}
