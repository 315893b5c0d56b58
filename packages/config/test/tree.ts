/** A configuration as data, to be changed and then written as YAML. Texts are written as they are, quotes included. */
export type Tree = string | readonly Tree[] | { readonly [key: string]: Tree };

/** What is done to one value of a tree. */
export interface Mutation {
  readonly kind: 'remove' | 'rename' | 'replace' | 'repeat' | 'wrap' | 'move' | 'anchor';
  /** Picks the value. */
  readonly at: number;
  /** Picks another value, where one is needed. */
  readonly other: number;
  /** What is put in its place, or what its key becomes. */
  readonly word: string;
}

type Path = readonly (string | number)[];

/** Changes one value, as `mutation` says. */
export function mutate(tree: Tree, mutation: Mutation): Tree {
  const paths = pathsOf(tree);
  const path = paths[mutation.at % paths.length] ?? [];
  const other = paths[mutation.other % paths.length] ?? [];
  switch (mutation.kind) {
    case 'remove':
      return changed(tree, path, () => []);
    case 'rename':
      return changed(tree, path, (key, value) => [[typeof key === 'string' ? mutation.word : key, value]]);
    case 'replace':
      return changed(tree, path, (key) => [[key, mutation.word]]);
    case 'repeat':
      return changed(tree, path, (key, value) => [
        [key, value],
        [typeof key === 'string' ? `${key} ` : key, value],
      ]);
    case 'wrap':
      return changed(tree, path, (key, value) => [[key, [value]]]);
    case 'move':
      return changed(tree, path, (key) => [[key, valueAt(tree, other)]]);
    case 'anchor': {
      const marked = changed(tree, path, (key, value) => [[key, `&x ${written(value)}`]]);
      return changed(marked, other, (key) => [[key, '*x']]);
    }
  }
}

/** The tree as YAML: every key of the top on a line of its own, the rest in brackets. */
export function writeTree(tree: Tree): string {
  if (typeof tree === 'string' || Array.isArray(tree)) return `${written(tree)}\n`;
  return Object.entries(tree)
    .map(([key, value]) => `${key}: ${written(value)}\n`)
    .join('');
}

function written(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(written).join(', ')}]`;
  const members = Object.entries(tree).map(([key, value]) => `${key}: ${written(value)}`);
  return `{${members.join(', ')}}`;
}

function pathsOf(tree: Tree, path: Path = []): readonly Path[] {
  if (typeof tree === 'string') return [path];
  return [path, ...Object.entries(tree).flatMap(([key, value]) => pathsOf(value, [...path, keyOf(tree, key)]))];
}

function keyOf(tree: Tree, key: string): string | number {
  return Array.isArray(tree) ? Number(key) : key;
}

function valueAt(tree: Tree, path: Path): Tree {
  return path.reduce<Tree>((at, key) => (at as Readonly<Record<string | number, Tree>>)[key] ?? '', tree);
}

type Entry = readonly [key: string | number, value: Tree];

function changed(
  tree: Tree,
  [first, ...rest]: Path,
  change: (key: string | number, value: Tree) => readonly Entry[],
): Tree {
  if (first === undefined) return change('', tree)[0]?.[1] ?? '';
  const entries = Object.entries(tree).flatMap(([text, value]): readonly Entry[] => {
    const key = keyOf(tree, text);
    if (key !== first) return [[key, value]];
    return rest.length === 0 ? change(key, value) : [[key, changed(value, rest, change)]];
  });
  return Array.isArray(tree) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
