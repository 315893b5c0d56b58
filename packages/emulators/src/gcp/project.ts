import type { EmulatorClock } from '../clock.js';
import type { GceCatalogue } from './catalogue.js';
import type { Fleet } from './fleet.js';
import type { Links } from './links.js';
import type { Operations } from './operations.js';

/** Everything a call can be about. */
export interface Project {
  readonly id: string;
  readonly clock: EmulatorClock;
  readonly catalogue: GceCatalogue;
  readonly fleet: Fleet;
  readonly operations: Operations;
  readonly links: Links;
  /** Zones that cannot be reached at the moment. */
  readonly unreachable: ReadonlySet<string>;
  /** How many a page of a listing has at most. */
  readonly pageSize: number;
}
