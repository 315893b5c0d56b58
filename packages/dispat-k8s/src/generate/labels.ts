import { createHash } from 'node:crypto';
import { ANNOTATIONS, LABEL_VALUES, LABELS, type Pool, type PoolOptions } from '../pool.js';

type StringMap = Readonly<Record<string, string>>;

/** The labels of an object that is all pools': its `dispat.dev/pool` is the base name. */
export function sharedLabels({ name, runId, extras }: PoolOptions): StringMap | undefined {
  return extras ? labelsOf(name, runId) : undefined;
}

/** The labels of one pool's workload, pods and budget. */
export function poolLabels(pool: Pool, { runId, extras }: PoolOptions): StringMap | undefined {
  return extras ? labelsOf(pool.name, runId) : undefined;
}

function labelsOf(pool: string, runId: string | undefined): StringMap {
  return {
    [LABELS.name]: LABEL_VALUES.name,
    [LABELS.managedBy]: LABEL_VALUES.managedBy,
    [LABELS.pool]: pool,
    ...(runId !== undefined && { [LABELS.run]: runId }),
  };
}

/** What finds one pool's pods and no others. */
export function podSelector(pool: Pool, { runId }: PoolOptions): StringMap {
  return {
    [LABELS.name]: LABEL_VALUES.name,
    [LABELS.pool]: pool.name,
    ...(runId !== undefined && { [LABELS.run]: runId }),
  };
}

/** What a service mesh looks for: its proxy would never end, and so would the Job never. */
const MESH_LABELS: StringMap = { 'sidecar.istio.io/inject': 'false' };
const MESH_ANNOTATIONS: StringMap = { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' };

/** A pod's labels. A StatefulSet finds its pods by labels, so it has its selector's even without extras. */
export function podLabels(pool: Pool, options: PoolOptions): StringMap | undefined {
  if (options.extras) return { ...labelsOf(pool.name, options.runId), ...MESH_LABELS };
  return options.variation === 'statefulset' ? podSelector(pool, options) : undefined;
}

/** A pod's annotations: what keeps autoscalers from emptying the machine under a running task. */
export function podAnnotations({ extras, karpenter }: PoolOptions): StringMap {
  return {
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    ...(extras && karpenter && { 'karpenter.sh/do-not-disrupt': 'true' }),
    ...(extras && MESH_ANNOTATIONS),
  };
}

/** What the checker and the cluster commands read of a workload without reading its script. */
export function workloadAnnotations(pool: Pool, options: PoolOptions, hash: string): StringMap | undefined {
  if (!options.extras) return undefined;
  return {
    [ANNOTATIONS.inputHash]: hash,
    [ANNOTATIONS.nodes]: `${pool.prefix}{0..${pool.count - 1}}`,
    [ANNOTATIONS.endpointHash]: sha256(options.endpoint),
    [ANNOTATIONS.preflight]: `${options.preflight}`,
    [ANNOTATIONS.taskTimeout]: `${options.taskTimeout}`,
  };
}

/**
 * A hash of the checked options: the order in which they were written does not matter. A StatefulSet's replicas are not
 * among them: it is scaled up for a release and stays the same pool.
 */
export function inputHash({ replicas: _, ...options }: PoolOptions): string {
  return sha256(canonical(options));
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
