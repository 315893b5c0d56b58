import type { EventAction, RungarEvent } from '@rungar/model';
import type { EventRow } from './view.js';

const BAD: ReadonlySet<EventAction> = new Set([
  'lost',
  'failing',
  'full',
  'delete_failing',
  'failed',
  'split',
  'reload_failed',
  'runner_version_ending',
  'runner_version_refused',
]);
/** Removals of runners that came to nothing. */
const BAD_REASONS: ReadonlySet<string> = new Set(['never_connected', 'unregistered', 'disconnected', 'stuck']);

export function eventRow({ time, kind, action, name, scaleSet, provider, message, attributes }: RungarEvent): EventRow {
  return {
    ...{ time, kind, action, name },
    ...(scaleSet !== undefined && { scaleSet }),
    ...(provider !== undefined && { provider }),
    message: message ?? '',
    bad: BAD.has(action) || BAD_REASONS.has(attributes?.reason ?? ''),
  };
}
