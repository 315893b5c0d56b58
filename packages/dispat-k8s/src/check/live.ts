import type { ClusterApi } from '../cluster/api.js';
import { readNamespace } from '../cluster/read-namespace.js';
import type { World } from '../command.js';
import type { NamedText } from '../files.js';

/**
 * Reads a namespace of a cluster as a check's input. What another object made (a CronJob's Job, a Job's pods) is left to
 * that object; kinds that may not be read are named on standard error, as rules about them say nothing then.
 */
export async function readLive(api: ClusterApi, namespace: string, { signal, stderr }: World): Promise<NamedText> {
  const { objects, skipped } = await readNamespace(api, namespace, signal);
  const unread = skipped.filter(({ why }) => why !== 'not in this cluster').map(({ kind }) => kind);
  if (unread.length > 0) stderr.write(`Warning: not checked, for want of the right to list: ${unread.join(', ')}\n`);
  return { name: `namespace ${namespace}`, text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) };
}
