import { pausedEvent } from '../events.js';
import { decideAfresh } from './decision.js';
import type { ScaleSet } from './scale-set.js';

/** Pauses or resumes a scale set. The same state again changes nothing. */
export function setPaused(set: ScaleSet, paused: boolean): void {
  if (set.paused === paused) return;
  set.paused = paused;
  set.deps.metrics.set('rungar_scale_set_paused', { scale_set: set.name }, paused ? 1 : 0);
  set.log.info(paused ? 'Paused' : 'Resumed');
  set.emit(pausedEvent(set.name, paused));
  decideAfresh(set);
}
