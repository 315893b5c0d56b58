import type { Resource } from './resource.js';

/** The objects of the input, found without looking through all of them. */
export class Resources {
  readonly all: readonly Resource[];
  readonly #byKind: ReadonlyMap<string, readonly Resource[]>;
  readonly #byNamespace: ReadonlyMap<string, readonly Resource[]>;
  readonly #byName: ReadonlyMap<string, readonly Resource[]>;

  constructor(all: readonly Resource[]) {
    this.all = all;
    this.#byKind = grouped(all, ({ kind }) => kind);
    this.#byNamespace = grouped(all, ({ kind, namespace }) => keyOf(kind, namespace));
    this.#byName = grouped(all, ({ kind, name, namespace }) => keyOf(kind, namespace, name));
  }

  ofKind(kind: string): readonly Resource[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** Those of one kind in the namespace of another object; both may leave it open. */
  near({ namespace }: Pick<Resource, 'namespace'>, kind: string): readonly Resource[] {
    return this.#byNamespace.get(keyOf(kind, namespace)) ?? [];
  }

  /** The first one of a name in the namespace of another object. */
  named({ namespace }: Pick<Resource, 'namespace'>, kind: string, name: string): Resource | undefined {
    return this.#byName.get(keyOf(kind, namespace, name))?.[0];
  }
}

function keyOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts);
}

/** Items by a key, each group in the order of the items. */
export function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
