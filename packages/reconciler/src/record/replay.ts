import { planPass } from '../decide/plan-pass.js';
import { planScaling } from '../decide/plan-scaling.js';
import type { DecisionRecord } from './entries.js';
import { toPlain } from './plain.js';

/** A place in which the present code decides otherwise than what was recorded. */
export interface Difference {
  /** `items[2].reason`, `target`. */
  readonly path: string;
  /** As JSON text; absent where there was nothing. */
  readonly recorded?: string;
  /** As JSON text; absent where there is nothing. */
  readonly now?: string;
}

/**
 * Runs one recorded decision through the present decision code.
 * @returns where the two differ; none when they agree
 * @throws TypeError where what was recorded lacks what a decision needs
 */
export function replayRecord(record: DecisionRecord): readonly Difference[] {
  const now =
    record.kind === 'pass' ? planPass(record.context, record.seen, record.memory) : planScaling(record.question);
  return differences(toPlain(record.plan), toPlain(now), '');
}

function differences(before: unknown, after: unknown, path: string): readonly Difference[] {
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => {
      const at = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      return differences(before[key], after[key], at);
    });
  }
  const recorded = JSON.stringify(before);
  const now = JSON.stringify(after);
  if (recorded === now) return [];
  return [{ path, ...(recorded !== undefined && { recorded }), ...(now !== undefined && { now }) }];
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
