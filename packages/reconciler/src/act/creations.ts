import { runnerName } from '@rungar/labels';
import { errorCodeOf, messageOf, RungarError } from '@rungar/model';
import type { Batch, Creation, ScaleSet } from './scale-set.js';

/** Gives up a creation that no provider has been asked for: its place is free at once. */
export function cancelCreation(creation: Creation): void {
  creation.cancel.abort(new RungarError('unavailable', `${creation.name} is not needed any more`));
  creation.claim.release();
}

/** Texts that differ each time must not pile up. */
const MOST_SAID = 32;

/** Counts a creation that came to nothing; those of one decision count once. */
export function countFailure(set: ScaleSet, batch: Batch, error: unknown, runner?: string): void {
  set.creationFailed = true;
  if (batch.failed) return;
  batch.failed = true;
  const full = errorCodeOf(error) === 'no_capacity';
  set.deps.metrics.add('rungar_scale_up_failures_total', {
    scale_set: set.name,
    reason: full ? 'no_capacity' : 'error',
  });
  const fields = { ...(runner !== undefined && { runner }), error };
  if (full) set.log[isNews(set, messageOf(error)) ? 'warn' : 'debug']('No capacity for a runner', fields);
  else set.log.error('Runner could not be created', fields);
}

/** Whether a lack of room has not been told in these words since there was room, or nobody was wanted, last. */
function isNews({ noRoomSaid }: ScaleSet, why: string): boolean {
  if (noRoomSaid.has(why)) return false;
  if (noRoomSaid.size >= MOST_SAID) noRoomSaid.clear();
  noRoomSaid.add(why);
  return true;
}

/** A name nobody has: of a runner, a creation, one that leaves or one that has just left. */
export function newName(set: ScaleSet): string {
  for (;;) {
    const suffix = Array.from(set.deps.random.bytes(4), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const name = runnerName(set.name, suffix);
    const { runners, leaving, left } = set.book;
    if (![runners, leaving, left, set.creations].some((known) => known.has(name))) return name;
  }
}
