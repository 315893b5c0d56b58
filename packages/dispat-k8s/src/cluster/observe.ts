import type { Clock } from '@rungar/model';
import type { ClusterApi, ListQuery, LiveObject } from './api.js';
import { isClusterFailure, isForbidden } from './failures.js';

export interface ObserveDeps {
  readonly api: ClusterApi;
  readonly clock: Clock;
}

/** Between two watches, and between two lists where watching is not possible. */
const PAUSE_MS = 1000;
const POLL_MS = 2000;
/** Failures in a row after which the cluster counts as lost. */
const MOST_FAILURES = 10;

/**
 * Keeps a list up to date until the signal aborts: one list, then a watch that goes on from where the last one ended,
 * a new list when that place is too old (410), and lists alone where watching is not allowed.
 * @param onList given every object there is, at the start and after each change
 * @throws InputError `CLUSTER_FORBIDDEN` when it may not list; `CLUSTER_FAILED` after ten failures in a row
 */
export async function observe<T extends LiveObject>(
  query: ListQuery,
  { api, clock }: ObserveDeps,
  onList: (items: readonly T[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let watching = true;
  for (let failures = 0; ; ) {
    try {
      const { items, resourceVersion } = await api.list<T>(query, signal);
      failures = 0;
      onList(items);
      if (watching) watching = await watchOn(query, items, resourceVersion, { api, clock }, onList, signal);
      else await clock.sleep(POLL_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isClusterFailure(error) || ++failures >= MOST_FAILURES) throw error;
      await clock.sleep(POLL_MS, signal);
    }
  }
}

/**
 * Watches until the list has to be read anew.
 * @returns whether watching is possible at all
 */
async function watchOn<T extends LiveObject>(
  query: ListQuery,
  items: readonly T[],
  from: string,
  { api, clock }: ObserveDeps,
  onList: (items: readonly T[]) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const known = new Map(items.map((item) => [item.metadata.name, item]));
  let resourceVersion = from;
  for (;;) {
    try {
      for await (const event of api.watch<T>({ ...query, resourceVersion }, signal)) {
        if (event.type === 'ERROR') return relistAfterPause(clock, signal);
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type === 'BOOKMARK') continue;
        if (event.type === 'DELETED') known.delete(event.object.metadata.name);
        else known.set(event.object.metadata.name, event.object);
        onList([...known.values()]);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isForbidden(error)) return false;
      if (!isClusterFailure(error)) throw error;
      return relistAfterPause(clock, signal);
    }
    await clock.sleep(PAUSE_MS, signal);
  }
}

async function relistAfterPause(clock: Clock, signal: AbortSignal): Promise<true> {
  await clock.sleep(PAUSE_MS, signal);
  return true;
}
