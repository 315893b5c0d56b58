import { ANNOTATIONS, LABEL_VALUES, LABELS } from '../pool.js';
import { inputError } from '../problems.js';
import type { ClusterApi, KindRef, LiveObject, ObjectRef } from './api.js';

/** Which pool in which namespace is meant. */
export interface PoolTarget {
  readonly namespace: string;
  /** The pool's name: the `dispat.dev/pool` label, and the name of objects without our labels. */
  readonly name: string;
  /** More names to look for: a pool of several platforms has one for each. */
  readonly platformNames?: readonly string[];
  readonly runId?: string;
  readonly variation: 'job' | 'statefulset';
  /** What stands before the index in a node's name, where the workload does not say it. */
  readonly prefix?: string;
}

export const WORKLOAD_KINDS = {
  job: { apiVersion: 'batch/v1', kind: 'Job' },
  statefulset: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
} as const satisfies Record<PoolTarget['variation'], KindRef>;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A Job or StatefulSet, as far as it is read here. */
export interface WorkloadObject extends LiveObject {
  readonly spec?: {
    readonly completions?: number;
    readonly replicas?: number;
    readonly suspend?: boolean;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly active?: number;
    readonly replicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** One of a pool's Jobs or StatefulSets. */
export interface Workload {
  readonly kind: 'Job' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** By index. */
  readonly nodes: readonly string[];
  /** As a selector: `key=value,key=value`. */
  readonly podSelector: string;
  /** The orchestrator's preflight in milliseconds, where the workload says it. */
  readonly preflightMs: number | undefined;
  readonly inputHash: string | undefined;
  readonly endpointHash: string | undefined;
  readonly ours: boolean;
  readonly suspended: boolean;
  readonly finished: { readonly as: 'complete' | 'failed'; readonly why: string } | undefined;
}

/**
 * The pool's workloads: found by our labels, else by name.
 * @throws InputError `NO_POOL` when there is none, `OPTIONS_CONFLICT` when several runs have one and none was named
 */
export async function findWorkloads(
  api: ClusterApi,
  target: PoolTarget,
  signal: AbortSignal,
): Promise<readonly WorkloadObject[]> {
  const found = await labelledWorkloads(api, target, signal);
  const runs = new Set(found.map(({ metadata }) => metadata.labels?.[LABELS.run]));
  if (runs.size > 1) {
    const names = [...runs].map((run) => run ?? '(none)').join(', ');
    throw inputError({
      code: 'OPTIONS_CONFLICT',
      at: `${target.namespace}/${target.name}`,
      found: `pools of several runs: ${names}`,
      allowed: 'one run',
      fix: 'name it with --run-id',
    });
  }
  if (found.length > 0) return found;
  const ref = namedWorkload(target);
  const named = await api.read<WorkloadObject>(ref, signal);
  if (named) return [named];
  throw inputError({
    code: 'NO_POOL',
    at: `${target.namespace}/${ref.name}`,
    found: `no ${ref.kind} of this pool`,
    allowed: 'a pool that was applied',
    fix: `apply it first, or name another with --namespace, --name and --run-id`,
  });
}

/** The pool's workloads that carry our labels; those of every run when the target names none. */
export async function labelledWorkloads(
  api: ClusterApi,
  target: PoolTarget,
  signal: AbortSignal,
): Promise<readonly WorkloadObject[]> {
  const { namespace, variation } = target;
  const query = { ...WORKLOAD_KINDS[variation], namespace, labelSelector: ourSelector(target) };
  const { items } = await api.list<WorkloadObject>(query, signal);
  return items;
}

/** The selector of what this program made for a pool. */
export function ourSelector({ name, platformNames = [], runId }: PoolTarget): string {
  const pools = platformNames.length === 0 ? `=${name}` : ` in (${[name, ...platformNames].join(',')})`;
  const labels = [`${LABELS.managedBy}=${LABEL_VALUES.managedBy}`, `${LABELS.pool}${pools}`];
  return [...labels, ...(runId === undefined ? [] : [`${LABELS.run}=${runId}`])].join(',');
}

/** The workload that has the pool's name, whoever made it. */
export function namedWorkload({ namespace, name, runId, variation }: PoolTarget): ObjectRef {
  return { ...WORKLOAD_KINDS[variation], namespace, name: runId === undefined ? name : `${name}-${runId}` };
}

/** The facts of a workload that this package reads. */
export function workloadOf(object: WorkloadObject, prefix = 'w-'): Workload {
  const { metadata, spec, status } = object;
  const annotations = metadata.annotations ?? {};
  const preflight = Number(annotations[ANNOTATIONS.preflight] ?? Number.NaN);
  const isJob = object.kind === 'Job';
  return {
    kind: isJob ? 'Job' : 'StatefulSet',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    nodes: nodesIn(annotations[ANNOTATIONS.nodes], prefix, (isJob ? spec?.completions : spec?.replicas) ?? 1),
    podSelector: selectorOf(spec?.selector?.matchLabels ?? {}),
    preflightMs: Number.isFinite(preflight) ? preflight * 1000 : undefined,
    inputHash: annotations[ANNOTATIONS.inputHash],
    endpointHash: annotations[ANNOTATIONS.endpointHash],
    ours: metadata.labels?.[LABELS.managedBy] === LABEL_VALUES.managedBy,
    suspended: spec?.suspend === true,
    finished: finishedAs(status?.conditions ?? []),
  };
}

/** `w-{0..3}` stands for four names; without it the prefix and the count say them. */
function nodesIn(pattern: string | undefined, prefix: string, count: number): string[] {
  const parts = /^(.*)\{(\d+)\.\.(\d+)\}$/.exec(pattern ?? '');
  const before = parts?.[1] ?? prefix;
  const first = Number(parts?.[2] ?? 0);
  const listed = parts ? Number(parts[3]) - first + 1 : count;
  // The cluster's count is what runs; a StatefulSet at rest has none.
  return Array.from({ length: Math.min(listed, count) }, (_, index) => `${before}${first + index}`);
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function finishedAs(conditions: readonly Condition[]): Workload['finished'] {
  const end = conditions.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'));
  if (!end) return undefined;
  const why = [end.reason, end.message].filter((part) => part).join(': ');
  return { as: end.type === 'Complete' ? 'complete' : 'failed', why };
}
