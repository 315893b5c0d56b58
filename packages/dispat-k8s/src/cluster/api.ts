import type { KubeObject } from '../pool.js';

/** An object as the cluster has it. */
export interface LiveObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    /** Set once its deletion has been asked for. */
    readonly deletionTimestamp?: string;
  };
}

/** Which kind of objects: `batch/v1` and `Job`. */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** One object. A kind that lives in no namespace has none here. */
export interface ObjectRef extends KindRef {
  readonly namespace?: string;
  readonly name: string;
}

/** One object of a kind that is known, in its namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Which objects of a kind. */
export interface ListQuery extends KindRef {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** A listing, complete at one moment. */
export interface Listed<T extends LiveObject = LiveObject> {
  readonly items: readonly T[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
}

/** One line of a watch. */
export type WatchEvent<T extends LiveObject = LiveObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  /** The watch has ended; 410 means that the resource version is too old and the list has to be read anew. */
  | { readonly type: 'ERROR'; readonly status: number; readonly message: string };

/** How anything is written to a cluster. */
export interface WriteOptions {
  /** Let the cluster check and complete it, and keep nothing. */
  readonly dryRun?: boolean;
}

/** How an object is applied. */
export interface ApplyOptions extends WriteOptions {
  /** Take over fields that another manager owns. */
  readonly force?: boolean;
}

/** What an apply came to. */
export interface Applied {
  readonly object: LiveObject;
  readonly created: boolean;
}

/** How an object is deleted. */
export interface RemoveOptions extends WriteOptions {
  /** Whether dependents, pods above all, go after the object or before it. There is no default on purpose. */
  readonly propagation: 'Background' | 'Foreground';
  /** Removes only this very object, not a later one of its name. */
  readonly uid?: string;
}

/** Whose log, and how much of it. */
export interface LogQuery {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Stay and give lines as they are written. */
  readonly follow?: boolean;
  readonly tailLines?: number;
  /** Only what was written at or after this instant, as RFC 3339. */
  readonly sinceTime?: string;
}

/**
 * What this package asks of a cluster, as plain data. Each call takes a signal and ends with its reason; a refusal is an
 * InputError `CLUSTER_FORBIDDEN`, any other failure `CLUSTER_FAILED`.
 */
export interface ClusterApi {
  /** Nothing when there is no such object. */
  read<T extends LiveObject = LiveObject>(ref: ObjectRef, signal: AbortSignal): Promise<T | undefined>;
  /** Every page of them. */
  list<T extends LiveObject = LiveObject>(query: ListQuery, signal: AbortSignal): Promise<Listed<T>>;
  /** Changes after `resourceVersion`, until the server ends the watch. Ends it when the loop over it is left. */
  watch<T extends LiveObject = LiveObject>(
    query: ListQuery & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
  /**
   * Server-side apply under the field manager `dispat-worker-manifest`.
   * @throws InputError `FIELD_CONFLICT`, one problem for each field that another manager owns
   */
  apply(object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<Applied>;
  /** Changes the number of a StatefulSet's replicas, and nothing else. */
  scale(statefulSet: NamespacedName, replicas: number, options: WriteOptions, signal: AbortSignal): Promise<void>;
  /** Creates an object that must not exist yet; false when one of its name does. */
  create(object: KubeObject, signal: AbortSignal): Promise<boolean>;
  /** Writes the whole of an object as it was read; false when it has changed since, or is gone. */
  update(object: LiveObject, signal: AbortSignal): Promise<boolean>;
  /** False when there was no such object, or another one than `uid` says. */
  remove(ref: ObjectRef, options: RemoveOptions, signal: AbortSignal): Promise<boolean>;
  /**
   * Lines of a container's log, each with the time it was written at (RFC 3339). Nothing when there is no log yet. A
   * followed one fails after five minutes, as a lost connection would: ask again from the last line's time.
   */
  logs(query: LogQuery, signal: AbortSignal): AsyncIterable<LogLine>;
  /**
   * The names of a Secret's keys; nothing when there is no such Secret. The values are dropped where the answer is read.
   */
  secretKeys(namespace: string, name: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}

/** A line of a container's log. */
export interface LogLine {
  /** RFC 3339, nanoseconds kept; empty where the line carries none. */
  readonly at: string;
  readonly text: string;
}
