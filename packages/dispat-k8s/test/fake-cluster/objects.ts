/** An object as the fake keeps it. */
export interface FakeObject {
  apiVersion: string;
  kind: string;
  metadata: FakeMetadata;
  [key: string]: unknown;
}

export interface FakeMetadata {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
  managedFields?: ManagedFields[];
}

/** Who owns which fields, as the API server writes it. */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: FieldSet;
}

export interface FieldSet {
  [key: string]: FieldSet;
}

/** A kind the fake serves. */
export interface FakeResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
}

const namespaced = (apiVersion: string, kind: string, plural: string, ...shortNames: string[]): FakeResource => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
  shortNames,
});

export const RESOURCES: readonly FakeResource[] = [
  { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false, shortNames: ['ns'] },
  namespaced('v1', 'Pod', 'pods', 'po'),
  namespaced('v1', 'Secret', 'secrets'),
  namespaced('v1', 'ConfigMap', 'configmaps', 'cm'),
  namespaced('v1', 'Event', 'events', 'ev'),
  namespaced('v1', 'Service', 'services', 'svc'),
  namespaced('v1', 'ServiceAccount', 'serviceaccounts', 'sa'),
  namespaced('v1', 'ResourceQuota', 'resourcequotas', 'quota'),
  namespaced('v1', 'LimitRange', 'limitranges', 'limits'),
  namespaced('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'pvc'),
  namespaced('batch/v1', 'Job', 'jobs'),
  namespaced('batch/v1', 'CronJob', 'cronjobs', 'cj'),
  namespaced('apps/v1', 'Deployment', 'deployments', 'deploy'),
  namespaced('apps/v1', 'DaemonSet', 'daemonsets', 'ds'),
  namespaced('apps/v1', 'StatefulSet', 'statefulsets', 'sts'),
  namespaced('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'hpa'),
  namespaced('networking.k8s.io/v1', 'Ingress', 'ingresses', 'ing'),
  namespaced('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', 'netpol'),
  namespaced('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'pdb'),
  namespaced('coordination.k8s.io/v1', 'Lease', 'leases'),
  namespaced('example.com/v1', 'Widget', 'widgets'),
];

/** A refusal, as the API server words it. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly { reason: string; field?: string; message: string }[];

  constructor(status: number, reason: string, message: string, causes: Refusal['causes'] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }

  toStatus(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      code: this.status,
      ...(this.causes.length > 0 && { details: { causes: this.causes } }),
    };
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
