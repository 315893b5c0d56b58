import type { Capacity } from '../capacity.js';
import type { Ec2Catalogue } from '../catalogue.js';
import type { ClientTokens } from '../client-tokens.js';
import { Ec2Error } from '../errors.js';
import type { Fleet } from '../fleet.js';
import type { QueryParameters } from '../query.js';
import type { Xml } from '../xml.js';

/** How DescribeInstances cuts its answer into pages. */
export interface Paging {
  /** Most instances on a page, also when the caller asks for more. */
  readonly pageSize: number;
  /** Whether a page is cut before the filters are applied, so that it may come out short, or empty, in the middle. */
  readonly beforeFilters: boolean;
}

/** Everything the actions work on. */
export interface Account {
  readonly id: string;
  readonly region: string;
  readonly catalogue: Ec2Catalogue;
  readonly capacity: Capacity;
  readonly fleet: Fleet;
  readonly tokens: ClientTokens;
  readonly paging: Paging;
}

/** Does what was asked for, and gives the members of the answer. */
export type Deed = () => readonly (Xml | undefined)[];

/**
 * Reads and checks one action's parameters; what it returns carries the action out. The two are apart so that a dry
 * run, a missing permission or an unknown parameter ends the call with nothing done.
 */
export type Action = (params: QueryParameters, account: Account) => Deed;

/**
 * The `InstanceId.N` of a request.
 * @throws Ec2Error `InvalidInstanceID.Malformed` for what cannot be an id
 */
export function readInstanceIds(params: QueryParameters): string[] {
  const ids = params.list('InstanceId');
  for (const id of ids) {
    if (!/^i-[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id)) {
      throw new Ec2Error('InvalidInstanceID.Malformed', `Invalid id: "${id}"`);
    }
  }
  return [...new Set(ids)];
}
