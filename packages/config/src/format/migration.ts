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
  const found = new Map<string, { deprecation: Problem; edit: KeyEdit }>();
  const applying = migrations.filter(({ lastVersion }) => version <= lastVersion);
  const migrated = applying.reduce<LocatedMap>((tree, migration) => asMap(replace(tree, migration)), map);
  return {
    map: migrated,
    deprecations: [...found.values()].map(({ deprecation }) => deprecation),
    edits: [...found.values()].map(({ edit }) => edit),
  };

  function asMap(tree: Located): LocatedMap {
    return tree.kind === 'map' ? tree : map;
  }

  function replace(tree: Located, migration: Migration): Located {
    return descend(tree, migration.within, '');

    function descend(node: Located, steps: readonly string[], path: string): Located {
      const [step, ...rest] = steps;
      if (step === undefined) return node.kind === 'map' ? replaceIn(node, path) : node;
      if (step === '[]') {
        if (node.kind !== 'list') return node;
        return { ...node, items: node.items.map((item, index) => descend(item, rest, itemPath(path, index))) };
      }
      if (node.kind !== 'map') return node;
      const entries = node.entries.map((entry) =>
        entry.key === step ? { ...entry, value: descend(entry.value, rest, memberPath(path, step)) } : entry,
      );
      return { ...node, entries };
    }

    /** A mapping that has the new key too is left alone: the old one is then refused as unknown. */
    function replaceIn(node: LocatedMap, path: string): LocatedMap {
      const { key, becomes } = migration;
      if (key !== becomes && node.entries.some((entry) => entry.key === becomes)) return node;
      return { ...node, entries: node.entries.map((entry) => (entry.key === key ? renewed(entry, path) : entry)) };
    }

    function renewed(entry: LocatedEntry, path: string): LocatedEntry {
      const { key, becomes, words = {} } = migration;
      const { value, keyPlace } = entry;
      const word = value.kind === 'scalar' && Object.hasOwn(words, value.source) ? words[value.source] : undefined;
      if (key === becomes && word === undefined) return entry;
      const edit = { place: keyPlace, key: becomes, ...(word !== undefined && { value: word }) };
      // An alias or a merge key brings the same key to several places.
      const written = `${keyPlace.line}:${keyPlace.column}`;
      if (!found.has(written)) found.set(written, { deprecation: deprecationOf(entry, edit, path), edit });
      const newValue = value.kind === 'scalar' && word !== undefined ? { ...value, source: word } : value;
      return { ...entry, key: becomes, value: newValue };
    }
  }
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
