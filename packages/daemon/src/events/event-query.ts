import { RungarError, type RungarEvent } from '@rungar/model';

/** Which events to give. What is absent or empty does not narrow. */
export interface EventQuery {
  readonly scaleSet?: string;
  readonly provider?: string;
  /** Events of this runner only, and none of a provider or scale set that happens to have its name. */
  readonly runner?: string;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number;
  /** The last so many of what is kept; 0 is all. Does not bound what follows. */
  readonly limit?: number;
}

export function matchesQuery(event: RungarEvent, query: EventQuery): boolean {
  if (query.scaleSet && event.scaleSet !== query.scaleSet && !isAbout(event, 'scale_set', query.scaleSet)) return false;
  if (query.provider && event.provider !== query.provider && !isAbout(event, 'provider', query.provider)) return false;
  if (query.runner && !isAbout(event, 'runner', query.runner)) return false;
  return query.since === undefined || event.time >= query.since;
}

function isAbout(event: RungarEvent, kind: RungarEvent['kind'], name: string): boolean {
  return event.kind === kind && event.name === name;
}

/**
 * How many events a query asks for at most.
 * @throws RungarError `invalid_argument` for a negative limit
 */
export function limitOf({ limit = 0 }: EventQuery): number {
  if (limit < 0) throw new RungarError('invalid_argument', `the limit of events must not be negative, got ${limit}`);
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}
