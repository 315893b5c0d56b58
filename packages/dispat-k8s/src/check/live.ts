import type { ClusterApi } from '../cluster/api.js';
import { readNamespace } from '../cluster/read-namespace.js';
import type { World } from '../command.js';
import type { NamedText } from '../files.js';

/** A namespace as it stands. */
export interface LiveManifests {
  readonly manifest: NamedText;
  /** Kinds that may not be listed. */
  readonly unlisted: readonly string[];
}

/**
 * Reads a namespace of a cluster as a check's input. What another object made (a CronJob's Job, a Job's pods) is left to
 * that object; kinds that may not be listed are named on standard error too, as few rules can say so.
 */
export async function readLive(api: ClusterApi, namespace: string, { signal, stderr }: World): Promise<LiveManifests> {
  const { objects, skipped } = await readNamespace(api, namespace, signal);
  const unlisted = skipped.filter(({ why }) => why !== 'not in this cluster').map(({ kind }) => kind);
  if (unlisted.length > 0) {
    stderr.write(`Warning: not checked, for want of the right to list: ${unlisted.join(', ')}\n`);
  }
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  return { manifest: { name: `namespace ${namespace}`, text }, unlisted };
}
