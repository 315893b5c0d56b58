import { type DecisionRecord, recordLine } from '../record/entries.js';
import type { ScaleSet } from './scale-set.js';

/** Records a decision where somebody wants that. A record that cannot be made disturbs nobody. */
export function recordDecision(set: ScaleSet, make: () => DecisionRecord): void {
  const { recorder } = set.deps;
  if (!recorder) return;
  try {
    recorder.record(recordLine(make()));
  } catch (error) {
    set.log.debug('A decision was not recorded', { error });
  }
}
