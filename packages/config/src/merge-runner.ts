import type { Located, LocatedEntry, LocatedMap } from '@rungar/model';

/**
 * A scale set's runner block written over its provider's. Mappings are merged key by key at every depth; whatever
 * else stands in the upper block replaces what is below it whole, a null included, which clears. A block that is
 * absent or an empty mapping leaves the other as it is. Neither is changed.
 */
export function mergeRunner(base: Located | undefined, over: Located | undefined): Located | undefined {
  if (over === undefined || isEmpty(over)) return base;
  if (base === undefined || isEmpty(base)) return over;
  return mergeValue(base, over);
}

function mergeValue(base: Located, over: Located): Located {
  return base.kind === 'map' && over.kind === 'map' ? mergeMaps(base, over) : over;
}

function mergeMaps(base: LocatedMap, over: LocatedMap): LocatedMap {
  const entries = new Map<string, LocatedEntry>(base.entries.map((entry) => [entry.key, entry]));
  for (const entry of over.entries) {
    const below = entries.get(entry.key);
    entries.set(entry.key, below === undefined ? entry : { ...entry, value: mergeValue(below.value, entry.value) });
  }
  return { kind: 'map', entries: [...entries.values()], place: over.entries.length > 0 ? over.place : base.place };
}

function isEmpty(block: Located): boolean {
  return block.kind === 'map' && block.entries.length === 0;
}
