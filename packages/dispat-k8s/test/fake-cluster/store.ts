import { isDeepStrictEqual } from 'node:util';
import { type FakeObject, type FakeResource, Refusal } from './objects.js';
import { matches } from './selectors.js';

/** One change, as watchers see it. */
export interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakeObject;
  readonly plural: string;
  /** The object before it, for selectors that no longer match. */
  readonly before?: FakeObject;
}

export interface Query {
  readonly resource: FakeResource;
  readonly namespace: string | undefined;
  readonly labels: string;
  readonly fields: string;
}

/** What the fake's etcd keeps: objects, one version for all, and the changes that may still be watched. */
export class Store {
  #version = 100;
  #compactedTo = 0;
  #uids = 0;
  #seconds = 0;
  readonly #objects = new Map<string, FakeObject>();
  readonly #changes: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();

  get version(): number {
    return this.#version;
  }

  /** A time that goes on by a second whenever it is asked for. */
  nextTime(): string {
    return new Date(Date.UTC(2027, 0, 4, 9, 0, this.#seconds++)).toISOString().replace('.000', '');
  }

  get(resource: FakeResource, namespace: string | undefined, name: string): FakeObject | undefined {
    return this.#objects.get(idOf(resource.plural, namespace, name));
  }

  list(query: Query): FakeObject[] {
    return [...this.#objects.entries()]
      .filter(([id, object]) => id.startsWith(`${query.resource.plural}/`) && isIn(query, object))
      .map(([, object]) => structuredClone(object))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Keeps a new object, or a changed one; one that is equal to what is there changes nothing. */
  put(resource: FakeResource, object: FakeObject): FakeObject {
    const id = idOf(resource.plural, object.metadata.namespace, object.metadata.name);
    const before = this.#objects.get(id);
    const isSame = before !== undefined && isDeepStrictEqual(contentOf(before), contentOf(object));
    if (isSame) return before;
    const metadata = {
      ...object.metadata,
      uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
      creationTimestamp: before?.metadata.creationTimestamp ?? this.nextTime(),
      resourceVersion: `${++this.#version}`,
    };
    const kept = structuredClone({ ...object, metadata });
    this.#objects.set(id, kept);
    this.#tell({ type: before ? 'MODIFIED' : 'ADDED', object: kept, ...(before && { before }) }, resource);
    return kept;
  }

  delete(resource: FakeResource, object: FakeObject): void {
    const id = idOf(resource.plural, object.metadata.namespace, object.metadata.name);
    if (!this.#objects.delete(id)) return;
    const metadata = { ...object.metadata, resourceVersion: `${++this.#version}` };
    this.#tell({ type: 'DELETED', object: { ...object, metadata } }, resource);
  }

  /** Forgets what changed: a watch from before now gets 410. */
  compact(): void {
    this.#compactedTo = ++this.#version;
    this.#changes.length = 0;
  }

  /** @throws Refusal 410 for a version whose later changes are forgotten */
  refuseForgotten(from: number): void {
    if (from >= this.#compactedTo) return;
    throw new Refusal(410, 'Expired', `too old resource version: ${from} (${this.#compactedTo})`);
  }

  /** Changes after a version, and on; ends with the returned function. */
  watch(query: Query, from: number, onChange: (change: Change) => void): () => void {
    const pass = (change: Change): void => {
      const seen = seenBy(query, change);
      if (seen) onChange(seen);
    };
    for (const change of this.#changes) if (change.version > from) pass(change);
    this.#listeners.add(pass);
    return () => void this.#listeners.delete(pass);
  }

  #tell(change: Omit<Change, 'version' | 'plural'>, { plural }: FakeResource): void {
    const whole = { ...change, version: this.#version, plural };
    this.#changes.push(whole);
    for (const listener of this.#listeners) listener(whole);
  }
}

function idOf(plural: string, namespace: string | undefined, name: string): string {
  return `${plural}/${namespace ?? ''}/${name}`;
}

function contentOf({ metadata, ...rest }: FakeObject): unknown {
  const { resourceVersion: _, uid: __, creationTimestamp: ___, ...content } = metadata;
  return [content, rest];
}

function isIn(query: Query, object: FakeObject): boolean {
  const { namespace } = object.metadata;
  return (
    (query.namespace === undefined || namespace === query.namespace) && matches(object, query.labels, query.fields)
  );
}

/** A change as one watcher sees it: what leaves its selection is deleted for it, what enters is added. */
function seenBy(query: Query, change: Change): Change | undefined {
  if (change.plural !== query.resource.plural) return undefined;
  const is = isIn(query, change.object);
  const was = change.before !== undefined && isIn(query, change.before);
  if (change.type !== 'MODIFIED') return is ? change : undefined;
  if (is) return was ? change : { ...change, type: 'ADDED' };
  return was ? { ...change, type: 'DELETED' } : undefined;
}
