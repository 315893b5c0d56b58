import type { KindRef } from './api.js';

/** How the API server calls a kind in a path, and whether its objects live in a namespace. */
export interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
}

const namespaced = (plural: string): Resource => ({ plural, namespaced: true });

/** The kinds this package writes or reads, so that none of them costs a look-up. */
const KNOWN: Readonly<Record<string, Resource>> = {
  'v1/ConfigMap': namespaced('configmaps'),
  'v1/Event': namespaced('events'),
  'v1/LimitRange': namespaced('limitranges'),
  'v1/Namespace': { plural: 'namespaces', namespaced: false },
  'v1/PersistentVolumeClaim': namespaced('persistentvolumeclaims'),
  'v1/Pod': namespaced('pods'),
  'v1/ResourceQuota': namespaced('resourcequotas'),
  'v1/Secret': namespaced('secrets'),
  'v1/Service': namespaced('services'),
  'v1/ServiceAccount': namespaced('serviceaccounts'),
  'apps/v1/DaemonSet': namespaced('daemonsets'),
  'apps/v1/Deployment': namespaced('deployments'),
  'apps/v1/StatefulSet': namespaced('statefulsets'),
  'autoscaling/v2/HorizontalPodAutoscaler': namespaced('horizontalpodautoscalers'),
  'batch/v1/CronJob': namespaced('cronjobs'),
  'batch/v1/Job': namespaced('jobs'),
  'cilium.io/v2/CiliumNetworkPolicy': namespaced('ciliumnetworkpolicies'),
  'coordination.k8s.io/v1/Lease': namespaced('leases'),
  'keda.sh/v1alpha1/ScaledJob': namespaced('scaledjobs'),
  'keda.sh/v1alpha1/ScaledObject': namespaced('scaledobjects'),
  'networking.k8s.io/v1/Ingress': namespaced('ingresses'),
  'networking.k8s.io/v1/NetworkPolicy': namespaced('networkpolicies'),
  'policy/v1/PodDisruptionBudget': namespaced('poddisruptionbudgets'),
};

/** What is known of a kind without asking the cluster. */
export function knownResource({ apiVersion, kind }: KindRef): Resource | undefined {
  return KNOWN[`${apiVersion}/${kind}`];
}

/** The path below which a group's version lives: `/api/v1`, `/apis/batch/v1`. */
export function versionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The path of a kind's objects, or of one of them, or of a part of it such as `log`. */
export function resourcePath(
  apiVersion: string,
  resource: Resource,
  at: { readonly namespace?: string; readonly name?: string; readonly part?: string },
): string {
  const parts = [versionPath(apiVersion)];
  if (resource.namespaced && at.namespace !== undefined) parts.push('namespaces', encodeURIComponent(at.namespace));
  parts.push(resource.plural);
  if (at.name !== undefined) parts.push(encodeURIComponent(at.name));
  if (at.part !== undefined) parts.push(at.part);
  return parts.join('/');
}
