import { GceRefusal, invalidValue } from './errors.js';
import { parseFilter } from './filters.js';

const MOST = 500;

/** What a listing can be asked for. */
export const LIST_PARAMETERS = ['filter', 'maxResults', 'orderBy', 'pageToken', 'returnPartialSuccess'] as const;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string;
}

/**
 * One page of what fits the request's filter.
 * @param all in the order of their creation, oldest first; listed by name unless `orderBy` says otherwise
 * @param most of a page, when the request does not say
 * @throws GceRefusal when a parameter is wrong
 */
export function pageOf<T extends { readonly name: string }>(
  all: readonly T[],
  query: URLSearchParams,
  most: number = MOST,
): Page<T> {
  const text = query.get('filter') ?? '';
  const filter = text.trim() === '' ? () => true : parseFilter(text);
  const found = inOrder(all, query.get('orderBy') ?? '').filter(filter);
  const start = readToken(query.get('pageToken'));
  const size = Math.min(readSize(query.get('maxResults'), most), most);
  const end = start + size;
  return {
    items: found.slice(start, end),
    ...(end < found.length && { nextPageToken: Buffer.from(`from ${end}`).toString('base64url') }),
  };
}

function inOrder<T extends { readonly name: string }>(all: readonly T[], orderBy: string): readonly T[] {
  switch (orderBy) {
    case '':
    case 'name':
      return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    case 'creationTimestamp desc':
      return all.toReversed();
    default:
      throw invalidValue('orderBy', orderBy, 'Only name and creationTimestamp desc are supported.');
  }
}

function readSize(text: string | null, most: number): number {
  if (text === null) return most;
  const size = Number(text);
  if (!/^\d+$/.test(text) || size > MOST) {
    throw invalidValue('maxResults', text, `Must be between 0 and ${MOST}, inclusive`);
  }
  return size === 0 ? most : size;
}

function readToken(text: string | null): number {
  if (text === null || text === '') return 0;
  const [, start] = /^from (\d+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (start === undefined) throw new GceRefusal(400, 'invalid', "Invalid value for field 'pageToken'.");
  return Number(start);
}
