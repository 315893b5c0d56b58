import type { ClusterApi, KindRef, LiveObject } from './api.js';
import { isClusterFailure, isForbidden } from './failures.js';

/** What a check of a live namespace looks at. Secrets are not among it: nothing in a check needs one. */
const CHECKED_KINDS: readonly KindRef[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ResourceQuota' },
  { apiVersion: 'v1', kind: 'LimitRange' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject' },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledJob' },
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
];

/** What a namespace holds, as far as it may be read. */
export interface NamespaceObjects {
  readonly objects: readonly LiveObject[];
  /** Kinds that were not read, with the reason: `no right to list them`, `not in this cluster`. */
  readonly skipped: readonly { readonly kind: string; readonly why: string }[];
}

/**
 * Reads a namespace's objects as plain data: what has an owner is left out, as its owner is there.
 * @throws InputError `CLUSTER_FAILED` when the cluster cannot be reached; the signal's reason when that aborts
 */
export async function readNamespace(
  api: ClusterApi,
  namespace: string,
  signal: AbortSignal,
): Promise<NamespaceObjects> {
  const objects: LiveObject[] = [];
  const skipped: { kind: string; why: string }[] = [];
  const readKind = async (kind: KindRef, read: () => Promise<readonly LiveObject[]>): Promise<void> => {
    try {
      objects.push(...(await read()).filter((object) => !isOwned(object)));
    } catch (error) {
      if (isForbidden(error)) skipped.push({ kind: kind.kind, why: 'no right to list them' });
      else if (isExtension(kind) && isClusterFailure(error))
        skipped.push({ kind: kind.kind, why: 'not in this cluster' });
      else throw error;
    }
  };
  const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' };
  await readKind(namespaceKind, async () => {
    const found = await api.read({ ...namespaceKind, name: namespace }, signal);
    return found ? [found] : [];
  });
  for (const kind of CHECKED_KINDS) {
    await readKind(kind, async () => (await api.list({ ...kind, namespace }, signal)).items);
  }
  return { objects, skipped };
}

/** A kind that only some clusters have. */
function isExtension({ apiVersion }: KindRef): boolean {
  const group = apiVersion.split('/')[0] ?? '';
  return group.includes('.') && !group.endsWith('.k8s.io');
}

function isOwned({ metadata }: LiveObject): boolean {
  return (
    'ownerReferences' in metadata && Array.isArray(metadata.ownerReferences) && metadata.ownerReferences.length > 0
  );
}
