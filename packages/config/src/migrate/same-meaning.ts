import { entryOf, type Located, type LocatedMap } from '@rungar/model';

/** Whether two files say the same in the same order, wherever it stands in them, apart from their version. */
export function sameApartFromVersion(a: Located, b: LocatedMap): boolean {
  return a.kind === 'map' && sameMeaning(withoutVersion(a), withoutVersion(b));
}

function withoutVersion(map: LocatedMap): LocatedMap {
  const version = entryOf(map, 'version');
  return { ...map, entries: map.entries.filter((entry) => entry !== version) };
}

function sameMeaning(a: Located, b: Located): boolean {
  if (a.kind === 'scalar') {
    return b.kind === 'scalar' && a.source === b.source && a.quoted === b.quoted && a.isNull === b.isNull;
  }
  if (a.kind === 'list') {
    return b.kind === 'list' && sameList(a.items, b.items, sameMeaning);
  }
  return (
    b.kind === 'map' &&
    sameList(a.entries, b.entries, (one, other) => one.key === other.key && sameMeaning(one.value, other.value))
  );
}

function sameList<T>(a: readonly T[], b: readonly T[], same: (one: T, other: T) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index];
      return other !== undefined && same(one, other);
    })
  );
}
