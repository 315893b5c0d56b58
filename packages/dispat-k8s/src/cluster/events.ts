import { isInputError } from '../problems.js';
import type { ClusterApi, LiveObject } from './api.js';

/** A Kubernetes event, as far as it is read here. */
interface EventObject extends LiveObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** One thing the cluster said about an object. */
export interface ClusterEvent {
  /** `Job/dispat-workers`. */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  /** As the cluster wrote it, RFC 3339; empty where it did not. */
  readonly at: string;
}

/** The warnings about the objects named, oldest first. None where this user may not read events. */
export async function warningsAbout(
  api: ClusterApi,
  namespace: string,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly ClusterEvent[]> {
  try {
    const query = { apiVersion: 'v1', kind: 'Event', namespace, fieldSelector: 'type=Warning' };
    const { items } = await api.list<EventObject>(query, signal);
    return items
      .filter(({ involvedObject }) => names.has(involvedObject?.name ?? ''))
      .map(toEvent)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  } catch (error) {
    if (isInputError(error)) return [];
    throw error;
  }
}

function toEvent({ involvedObject, reason, message, lastTimestamp, eventTime }: EventObject): ClusterEvent {
  return {
    about: `${involvedObject?.kind ?? ''}/${involvedObject?.name ?? ''}`,
    reason: reason ?? '',
    message: message ?? '',
    at: lastTimestamp ?? eventTime ?? '',
  };
}
