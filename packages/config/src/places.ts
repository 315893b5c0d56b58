import {
  entryOf,
  itemPath,
  type Located,
  type LocatedMap,
  memberPath,
  type OnlineFinding,
  type Place,
} from '@rungar/model';

/** A place in a file, and the path of the key that stands there. */
export interface Spot {
  readonly place: Place;
  readonly path: string;
}

interface Found extends Spot {
  readonly node: Located;
}

/** Where the value of a path stands, or as much of the path as the file has. */
export function spotAt(root: Located, keys: readonly (string | number)[]): Spot {
  const { place, path } = follow({ node: root, place: root.place, path: '' }, keys);
  return { place, path };
}

/**
 * Where something that a backend says of a provider belongs: the key at fault in the entry, or in the runner block of
 * the scale set, or else of the provider; without a key, the block or the reference to the provider.
 * @param provider its name
 */
export function spotOfFinding(
  root: Located,
  provider: string,
  { scaleSet, key }: Pick<OnlineFinding, 'scaleSet' | 'key'>,
): Spot {
  const top = { node: root, place: root.place, path: '' };
  const entry = named(follow(top, ['providers']), provider) ?? top;
  const inEntry = key === undefined ? undefined : whole(entry, keysOf(key));
  const set = scaleSet === undefined ? undefined : named(follow(top, ['scale_sets']), scaleSet);
  if (set === undefined) return spot(inEntry ?? { ...follow(entry, ['name']), path: entry.path });
  const reference = named(follow(set, ['providers']), provider) ?? set;
  const blocks = [reference, entry].flatMap((each) => whole(each, ['runner']) ?? []);
  const inBlock =
    key === undefined ? undefined : blocks.map((block) => whole(block, keysOf(key))).find((each) => each !== undefined);
  return spot(inBlock ?? inEntry ?? blocks[0] ?? reference);
}

function spot({ place, path }: Spot): Spot {
  return { place, path };
}

function keysOf(key: string): readonly (string | number)[] {
  return key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The item of a list that is a name, or a mapping with that name. */
function named({ node, path }: Found, name: string): Found | undefined {
  if (node.kind !== 'list') return undefined;
  const index = node.items.findIndex((item) => nameOf(item) === name);
  const item = node.items[index];
  return item && { node: item, place: item.place, path: itemPath(path, index) };
}

function nameOf(node: Located): string | undefined {
  const name = node.kind === 'map' ? entryOf(node, 'name')?.value : node;
  return name?.kind === 'scalar' ? name.source : undefined;
}

/** The value of a whole path that says something: a null says nothing. */
function whole(from: Found, keys: readonly (string | number)[]): Found | undefined {
  let at: Found | undefined = from;
  for (const key of keys) at = at && step(at, key);
  return at?.node.kind === 'scalar' && at.node.isNull ? undefined : at;
}

/** As much of a path as there is. */
function follow(from: Found, keys: readonly (string | number)[]): Found {
  let at = from;
  for (const key of keys) {
    const next = step(at, key);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

function step({ node, path }: Found, key: string | number): Found | undefined {
  if (node.kind === 'list' && typeof key === 'number') {
    const item = node.items[key];
    return item && { node: item, place: item.place, path: itemPath(path, key) };
  }
  return node.kind === 'map' ? member(node, path, String(key)) : undefined;
}

function member(map: LocatedMap, path: string, key: string): Found | undefined {
  const value = entryOf(map, key)?.value;
  return value && { node: value, place: value.place, path: memberPath(path, key) };
}
