import type { ClusterApi, KindRef, LiveObject } from '../cluster/api.js';
import type { NamedText } from '../files.js';

/** What a check looks at. Secrets are not among them: their values are nobody's business here. */
const KINDS: readonly KindRef[] = [
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'ResourceQuota' },
  { apiVersion: 'v1', kind: 'LimitRange' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
];

/**
 * Reads a namespace of a cluster as a check's input. What another object made (a CronJob's Job, a Job's pods) is left to
 * that object.
 */
export async function readNamespace(api: ClusterApi, namespace: string, signal: AbortSignal): Promise<NamedText> {
  const items: LiveObject[] = [];
  for (const kind of KINDS) {
    const { items: found } = await api.list({ ...kind, namespace }, signal);
    for (const object of found) if (!hasOwner(object)) items.push({ ...object, ...kind });
  }
  return { name: `namespace ${namespace}`, text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
}

function hasOwner({ metadata }: LiveObject): boolean {
  return (
    'ownerReferences' in metadata && Array.isArray(metadata.ownerReferences) && metadata.ownerReferences.length > 0
  );
}
