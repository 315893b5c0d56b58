import { isCalm } from '../decide/quiet.js';
import { decideAfresh } from './decision.js';
import type { TakenListings } from './pass.js';
import type { ScaleSet } from './scale-set.js';

/**
 * A whole pass in one step, where everything is as it was and GitHub need not be asked.
 * @param taken of providers that have all answered
 * @returns whether that was so; if not, nothing has been done
 */
export function passQuietly(set: ScaleSet, taken: TakenListings): boolean {
  const { deps, book, policy, revisions } = set;
  const { clock, fleet, metrics } = deps;
  const now = clock.now();
  const registered = book.runners.size;
  // A recording wants to see what every pass was made from.
  if (deps.recorder || set.unsettledClaims.length > 0 || fleet.hasBrake(set.name)) return false;
  const isQuiet =
    isCalm({
      leaving: book.leaving,
      left: book.left,
      creating: set.creations,
      orphans: set.orphans,
      unreachable: set.unreachable,
      waits: set.waits,
      replacement: set.replacement,
      statistics: set.statistics,
      counts: { registered, busy: book.counts.busy, idle: book.counts.idle },
      last: set.lastStatuses,
      now,
    }) && book.isAtRest(taken.listings, set.name, { revisions, limits: policy, now });
  if (!isQuiet) return false;
  set.passes++;
  set.creationFailed = false;
  metrics.set('rungar_scale_set_last_reconcile_timestamp_seconds', set.measured, clock.wallNow() / 1000);
  decideAfresh(set, { alive: registered, able: registered, removing: 0, unseen: 0 });
  metrics.observe('rungar_reconcile_duration_seconds', set.measured, (clock.now() - taken.since) / 1000);
  return true;
}
