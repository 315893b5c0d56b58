import type { LiveObject } from './api.js';
import type { Workload } from './workloads.js';

interface ContainerStatus {
  readonly name: string;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
  };
}

/** A pod, as far as it is read here. */
export interface PodObject extends LiveObject {
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly { readonly name: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** How far a node's pod has come. `absent` has no pod yet. */
export type NodePhase = 'absent' | 'pending' | 'running' | 'succeeded' | 'failed';

/** A node of a pool, by the newest of its pods. */
export interface NodeState {
  readonly node: string;
  readonly index: number;
  readonly phase: NodePhase;
  readonly pod?: string;
  readonly container?: string;
  /** The Kubernetes node it was placed on. */
  readonly machine?: string;
  /** Why it is where it is, in the cluster's own word: `Unschedulable`, `ImagePullBackOff`. */
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number;
}

const INDEX = 'batch.kubernetes.io/job-completion-index';
const ORDINAL = 'apps.kubernetes.io/pod-index';

/** The state of each of a workload's nodes, by index. Of several pods of one index the newest counts. */
export function nodeStates(workload: Workload, pods: readonly PodObject[]): NodeState[] {
  const newest = new Map<number, PodObject>();
  for (const pod of pods) {
    const index = indexOf(pod);
    const other = newest.get(index);
    if (other === undefined || isNewer(pod, other)) newest.set(index, pod);
  }
  return workload.nodes.map((node, index) => {
    const pod = newest.get(index);
    if (pod) return { node, index, ...stateOf(pod) };
    return { node, index, phase: 'absent', ...(workload.suspended && { reason: 'Suspended' }) };
  });
}

function indexOf({ metadata: { annotations, labels, name } }: PodObject): number {
  const text = annotations?.[INDEX] ?? labels?.[INDEX] ?? labels?.[ORDINAL] ?? /-(\d+)$/.exec(name)?.[1];
  return text === undefined ? -1 : Number(text);
}

function isNewer(a: PodObject, b: PodObject): boolean {
  if (!a.metadata.deletionTimestamp !== !b.metadata.deletionTimestamp) return !a.metadata.deletionTimestamp;
  return (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '');
}

function stateOf(pod: PodObject): Omit<NodeState, 'node' | 'index'> {
  const { spec, status, metadata } = pod;
  const container = spec?.containers?.find(({ name }) => name === 'worker') ?? spec?.containers?.[0];
  const known = {
    pod: metadata.name,
    ...(container && { container: container.name }),
    ...(spec?.nodeName !== undefined && { machine: spec.nodeName }),
  };
  const worker = status?.containerStatuses?.find(({ name }) => name === container?.name);
  const ended = worker?.state?.terminated;
  const exit = ended?.exitCode === undefined ? {} : { exitCode: ended.exitCode };
  switch (status?.phase) {
    case 'Succeeded':
      return { ...known, phase: 'succeeded', ...exit };
    case 'Failed':
      return {
        ...known,
        phase: 'failed',
        ...exit,
        ...because(status.reason ?? ended?.reason, status.message ?? ended?.message),
      };
    default: {
      const waiting = firstWaiting(pod);
      if (waiting?.reason === 'CrashLoopBackOff')
        return { ...known, phase: 'failed', ...because(waiting.reason, waiting.message) };
      if (worker?.state?.running && worker.started !== false) return { ...known, phase: 'running' };
      const unplaced = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
      const why = unplaced ?? waiting;
      return { ...known, phase: 'pending', ...because(why?.reason, why?.message) };
    }
  }
}

function firstWaiting({ status }: PodObject): { readonly reason?: string; readonly message?: string } | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ state }) => state?.waiting !== undefined)?.state?.waiting;
}

function because(reason: string | undefined, message: string | undefined): { reason?: string; message?: string } {
  return { ...(reason && { reason }), ...(message && { message }) };
}

/** Whether two states look the same to a person. */
export function sameState(a: NodeState | undefined, b: NodeState): boolean {
  return a !== undefined && a.phase === b.phase && a.pod === b.pod && a.reason === b.reason && a.message === b.message;
}
