import {
  itemPath,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  memberPath,
  type Place,
  type Problem,
  quoted,
} from '@rungar/model';

/** A key that has another name now, or words of its value that do. */
export interface Migration {
  /** In files that declare a later version than this, the old form is as unknown as any other word. */
  readonly lastVersion: number;
  /** The mappings that had it, from the top: `['scale_sets', '[]']` for every scale set. */
  readonly within: readonly string[];
  readonly key: string;
  /** What the key is called now; the same as `key` when only words changed. */
  readonly becomes: string;
  /** The words of its value that changed, and what each is now. */
  readonly words?: Readonly<Record<string, string>>;
}

/** One place of a file where something old is written. */
export interface KeyEdit {
  /** Where the key stands. */
  readonly place: Place;
  readonly key: string;
  /** The new value; absent when that stays. */
  readonly value?: string;
}

export interface MigratedTree {
  /** The file with every old form replaced. */
  readonly map: LocatedMap;
  /** What was replaced, one for each place. */
  readonly deprecations: readonly Problem[];
  /** How to do the same to the file's text; as many as `deprecations`. */
  readonly edits: readonly KeyEdit[];
}

/** Replaces what a file of that version may still write in an old form. `map` itself is not changed. */
export function migrateTree(map: LocatedMap, version: number, migrations: readonly Migration[]): MigratedTree {
  const found = new Map<string, Replacement>();
  const note = (replacement: Replacement): void => {
    // An alias or a merge key brings the same key to several places.
    const { line, column } = replacement.edit.place;
    const written = `${line}:${column}`;
    if (!found.has(written)) found.set(written, replacement);
  };
  let tree: Located = map;
  for (const migration of migrations) {
    if (version > migration.lastVersion) continue;
    tree = changeMaps(tree, migration.within, '', (node, path) => replaceKey(node, path, migration, note));
  }
  return {
    map: tree.kind === 'map' ? tree : map,
    deprecations: [...found.values()].map(({ deprecation }) => deprecation),
    edits: [...found.values()].map(({ edit }) => edit),
  };
}

interface Replacement {
  readonly deprecation: Problem;
  readonly edit: KeyEdit;
}

/** `node` with every mapping changed that those steps lead to. */
function changeMaps(
  node: Located,
  [step, ...rest]: readonly string[],
  path: string,
  change: (map: LocatedMap, path: string) => LocatedMap,
): Located {
  if (step === undefined) return node.kind === 'map' ? change(node, path) : node;
  if (step === '[]') {
    if (node.kind !== 'list') return node;
    return { ...node, items: node.items.map((item, index) => changeMaps(item, rest, itemPath(path, index), change)) };
  }
  if (node.kind !== 'map') return node;
  const below = memberPath(path, step);
  const entries = node.entries.map((entry) =>
    entry.key === step ? { ...entry, value: changeMaps(entry.value, rest, below, change) } : entry,
  );
  return { ...node, entries };
}

/** A mapping that has the new key too is left alone: the old one is then refused as unknown. */
function replaceKey(
  map: LocatedMap,
  path: string,
  migration: Migration,
  note: (replacement: Replacement) => void,
): LocatedMap {
  const { key, becomes } = migration;
  if (key !== becomes && map.entries.some((entry) => entry.key === becomes)) return map;
  const entries = map.entries.map((entry) => {
    const edit = entry.key === key ? editOf(entry, migration) : undefined;
    if (edit === undefined) return entry;
    note({ deprecation: deprecationOf(entry, edit, path), edit });
    const { value } = entry;
    const renewed = value.kind === 'scalar' && edit.value !== undefined ? { ...value, source: edit.value } : value;
    return { ...entry, key: becomes, value: renewed };
  });
  return { ...map, entries };
}

/** How the key of that migration is written today; nothing when that is how it is written. */
function editOf({ keyPlace, value }: LocatedEntry, { key, becomes, words = {} }: Migration): KeyEdit | undefined {
  const word = value.kind === 'scalar' && Object.hasOwn(words, value.source) ? words[value.source] : undefined;
  if (key === becomes && word === undefined) return undefined;
  return { place: keyPlace, key: becomes, ...(word !== undefined && { value: word }) };
}

function deprecationOf({ key, keyPlace, value }: LocatedEntry, edit: KeyEdit, path: string): Problem {
  const old = memberPath(path, key);
  const renamed = edit.key === key ? [] : [`${old} is called ${edit.key} now`];
  const reworded =
    edit.value === undefined || value.kind !== 'scalar'
      ? []
      : [`${old}: ${quoted(value.source)} is ${quoted(edit.value)} now`];
  return {
    severity: 'warning',
    place: keyPlace,
    path: old,
    message: [...renamed, ...reworded].join(', and '),
    hint: 'run `rungar config migrate`',
  };
}
