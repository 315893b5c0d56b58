import { createHash } from 'node:crypto';
import { instancesNotFound, invalidCombination, invalidValue } from '../errors.js';
import { type Predicate, readFilters } from '../filters.js';
import type { ListedInstance } from '../fleet.js';
import { STATE_CODES } from '../instance.js';
import { reservationMembers, timestamp } from '../instance-xml.js';
import { profileArn } from '../launch-plan.js';
import type { QueryParameters } from '../query.js';
import { element, listElement, type Xml } from '../xml.js';
import { type Account, type Action, readInstanceIds } from './action.js';

const LEAST_RESULTS = 5;
const MOST_RESULTS = 1000;

type Values = (listed: ListedInstance, account: Account) => readonly (string | undefined)[];

const FILTERS: Readonly<Record<string, Values>> = {
  architecture: ({ instance }) => [instance.plan.image.architecture],
  'availability-zone': ({ instance }) => [instance.plan.subnet.availabilityZone],
  'client-token': ({ instance }) => [instance.clientToken],
  'iam-instance-profile.arn': ({ instance: { plan } }, { id }) => [plan.profile && profileArn(id, plan.profile)],
  'image-id': ({ instance }) => [instance.plan.image.id],
  'instance-id': ({ instance }) => [instance.id],
  'instance-lifecycle': ({ instance }) => [instance.plan.spot ? 'spot' : undefined],
  'instance-state-code': ({ change }) => [String(STATE_CODES[change.state])],
  'instance-state-name': ({ change }) => [change.state],
  'instance-type': ({ instance }) => [instance.plan.type.name],
  'instance.group-id': ({ instance }) => instance.plan.groups.map(({ id }) => id),
  'ip-address': ({ instance }) => [instance.publicIp],
  'launch-time': ({ instance }) => [timestamp(instance.launchedAt)],
  'network-interface.subnet-id': ({ instance }) => [instance.plan.subnet.id],
  'owner-id': (_, { id }) => [id],
  'private-ip-address': ({ instance }) => [instance.privateIp],
  'reservation-id': ({ instance }) => [instance.reservationId],
  'root-device-name': ({ instance }) => [instance.plan.rootVolume?.deviceName],
  'subnet-id': ({ instance }) => [instance.plan.subnet.id],
  'tag-key': ({ tags }) => [...tags.keys()],
  'vpc-id': ({ instance }) => [instance.plan.subnet.vpcId],
};

/** Lists instances: those of the given ids, or all that match, in pages. */
export const describeInstances: Action = (params, account) => {
  const ids = readInstanceIds(params);
  const matches = readFilters<ListedInstance>(params, Object.keys(FILTERS), (listed, name) =>
    valuesOf(listed, name, account),
  );
  const size = readPageSize(params, ids, account);
  const query = params.fingerprint(['MaxResults', 'NextToken']);
  const after = readToken(params, ids, query);

  return () => {
    const listed = ids.length === 0 ? account.fleet.listed() : named(account, ids);
    const page = cutPage(listed, { after, size, matches, beforeFilters: account.paging.beforeFilters });
    return [
      listElement('reservationSet', byReservation(page.items, account.id)),
      page.last === undefined ? undefined : element('nextToken', tokenOf({ after: page.last, query: digest(query) })),
    ];
  };
};

function valuesOf(listed: ListedInstance, name: string, account: Account): string[] {
  const values = name.startsWith('tag:')
    ? [listed.tags.get(name.slice('tag:'.length))]
    : (FILTERS[name]?.(listed, account) ?? []);
  return values.filter((value) => value !== undefined);
}

function readPageSize(params: QueryParameters, ids: readonly string[], { paging }: Account): number {
  const asked = params.integer('MaxResults');
  if (asked === undefined) return paging.pageSize;
  if (ids.length > 0)
    throw invalidCombination('The parameter instancesSet cannot be used with the parameter maxResults');
  if (asked < LEAST_RESULTS) {
    throw invalidValue(
      `Value ( ${asked} ) for parameter maxResults is invalid. Expecting a value greater than ${LEAST_RESULTS}.`,
    );
  }
  if (asked > MOST_RESULTS) {
    throw invalidValue(
      `Value ( ${asked} ) for parameter maxResults is invalid. Expecting a value less than or equal to ${MOST_RESULTS}.`,
    );
  }
  return Math.min(asked, paging.pageSize);
}

function named({ fleet }: Account, ids: readonly string[]): ListedInstance[] {
  const missing = ids.filter((id) => fleet.findByCall(id) === undefined);
  if (missing.length > 0) throw instancesNotFound(missing);
  return fleet.listed().filter(({ instance }) => ids.includes(instance.id));
}

interface Cut {
  readonly after: number;
  readonly size: number;
  readonly matches: Predicate<ListedInstance>;
  readonly beforeFilters: boolean;
}

/** @returns the page, and the sequence of the last instance it accounts for where more follow */
function cutPage(listed: readonly ListedInstance[], cut: Cut): { items: ListedInstance[]; last: number | undefined } {
  const rest = listed.filter((one) => one.instance.sequence > cut.after && (cut.beforeFilters || cut.matches(one)));
  const page = rest.slice(0, cut.size);
  const last = rest.length > cut.size ? page.at(-1)?.instance.sequence : undefined;
  return { items: cut.beforeFilters ? page.filter(cut.matches) : page, last };
}

function byReservation(listed: readonly ListedInstance[], accountId: string): Xml[][] {
  const groups = new Map<string, ListedInstance[]>();
  for (const one of listed) {
    const { reservationId } = one.instance;
    const group = groups.get(reservationId);
    if (group === undefined) groups.set(reservationId, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((group) => reservationMembers(group, accountId));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function tokenOf(position: { after: number; query: string }): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Where a page begins. A token is good only for the listing it came from. */
function readToken(params: QueryParameters, ids: readonly string[], query: string): number {
  const token = params.text('NextToken');
  if (token === undefined) return -1;
  if (ids.length > 0)
    throw invalidCombination('The parameter instancesSet cannot be used with the parameter nextToken');
  const after = parseToken(token, digest(query));
  if (after === undefined) throw invalidValue('Unable to parse pagination token');
  return after;
}

function parseToken(token: string, query: string): number | undefined {
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof position !== 'object' || position === null || !('after' in position) || !('query' in position))
    return undefined;
  return typeof position.after === 'number' && position.query === query ? position.after : undefined;
}
