import { createHash } from 'node:crypto';
import { redactEndpoint } from '../endpoint.js';
import { inputError } from '../problems.js';
import type { LiveObject, ObjectRef } from './api.js';
import { isClusterFailure, isForbidden } from './failures.js';
import type { PodObject } from './pods.js';
import type { ClusterDeps } from './pool-view.js';
import {
  labelledWorkloads,
  namedWorkload,
  ourSelector,
  type PoolTarget,
  type Workload,
  type WorkloadObject,
  workloadOf,
} from './workloads.js';

/**
 * Asks the mailbox which of these nodes have work waiting or running.
 * @returns what each such branch is, in words fit to print; empty when the nodes are idle
 */
export type AskMailbox = (nodes: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;

/** What is to be deleted, and under which conditions. */
export interface RemoveRequest {
  readonly target: PoolTarget;
  /** Delete even while pods run or start: what they do is lost. */
  readonly force?: boolean;
  /** Delete while pods run or start, if this mailbox has nothing for them. */
  readonly idle?: { readonly endpoint: string; readonly ask: AskMailbox };
  /** Delete a StatefulSet's claims too. */
  readonly purgeClaims?: boolean;
  readonly dryRun?: boolean;
  /** How long a StatefulSet's pods may take to end, in milliseconds; an hour and a minute without it. */
  readonly limitMs?: number;
}

/** What was deleted, or would be. */
export interface RemoveResult {
  readonly dryRun: boolean;
  readonly removed: readonly ObjectRef[];
  /** What stays, and why. */
  readonly kept: readonly { readonly object: string; readonly why: string }[];
}

const USUAL_LIMIT_MS = 3_660_000;
const POLL_MS = 2000;

/** What `generate` makes beside the workloads. Namespaces and Secrets are not among them on purpose. */
const COMPANIONS = [
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
] as const;

/**
 * Deletes what this program made for a pool, or for one run of it. Pods go in the background; the namespace and Secrets
 * stay.
 * @param onRemoved told of each object once its deletion is accepted
 * @throws InputError `POOL_IN_USE` when pods run or start, unless `force` or an idle mailbox allows it; the signal's reason when
 * that aborts
 */
export async function remove(
  request: RemoveRequest,
  deps: ClusterDeps,
  onRemoved: (object: ObjectRef) => void = () => {},
): Promise<RemoveResult> {
  const { target, dryRun = false } = request;
  const removed: ObjectRef[] = [];
  const kept: { object: string; why: string }[] = [];
  const noteRemoved = (object: ObjectRef): void => {
    removed.push(object);
    onRemoved(object);
  };
  const workloads = (await labelledWorkloads(deps.api, target, deps.signal)).map((object) =>
    workloadOf(object, target.prefix),
  );
  if (workloads.length === 0) kept.push(...(await strangerOf(target, deps)));
  await refuseInUse(workloads, request, deps);
  for (const [index, workload] of workloads.entries()) {
    // What came before may have taken as long as pods take to end.
    if (index > 0 && !dryRun) await refuseInUse([workload], request, deps);
    const options = { propagation: 'Background', uid: workload.uid, dryRun } as const;
    if (workload.kind === 'StatefulSet' && !dryRun) await bringToRest(workload, request, deps);
    if (await deps.api.remove(refOf(workload), options, deps.signal)) noteRemoved(refOf(workload));
    if (workload.kind === 'StatefulSet') await claims(workload, request, deps, noteRemoved, kept);
  }
  for (const kind of COMPANIONS) await removeCompanions(kind, request, deps, noteRemoved, kept);
  kept.push({ object: `namespaces/${target.namespace} and its Secrets`, why: 'they are never deleted' });
  return { dryRun, removed, kept };
}

/** A workload of the pool's name that this program did not make. */
async function strangerOf(target: PoolTarget, { api, signal }: ClusterDeps): Promise<RemoveResult['kept']> {
  const found = await api.read<WorkloadObject>(namedWorkload(target), signal);
  if (found === undefined || workloadOf(found).ours) return [];
  return [{ object: `${found.kind} ${found.metadata.name}`, why: "it does not carry this program's labels" }];
}

function refOf({ kind, namespace, name }: Workload): ObjectRef {
  return { apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, namespace, name };
}

async function refuseInUse(
  workloads: readonly Workload[],
  { target, force, idle }: RemoveRequest,
  deps: ClusterDeps,
): Promise<void> {
  if (force) return;
  const used: PodObject[] = [];
  for (const workload of workloads) used.push(...(await podsInUse(workload, deps)));
  if (used.length === 0) return;
  if (idle) requireOwnMailbox(workloads, idle.endpoint);
  const waiting = await idle?.ask(
    workloads.flatMap(({ nodes }) => nodes),
    deps.signal,
  );
  if (waiting?.length === 0) return;
  throw inputError({
    code: 'POOL_IN_USE',
    at: `${target.namespace}/${target.name}`,
    found: `${podsInWords(used)}${waiting ? `, and in the mailbox ${waiting.join(', ')}` : ''}`,
    allowed: waiting ? 'nodes with nothing waiting or running' : 'a pool whose pods have ended',
    fix: waiting
      ? 'wait for the run to end, or lose what it does with --force'
      : 'wait for the idle timeout, ask the mailbox with --idle, or lose what runs with --force',
  });
}

/** Another mailbox would have nothing for these nodes, whatever they do. */
function requireOwnMailbox(workloads: readonly Workload[], endpoint: string): void {
  const hash = `sha256:${createHash('sha256').update(endpoint).digest('hex')}`;
  const other = workloads.find(({ endpointHash }) => endpointHash !== undefined && endpointHash !== hash);
  if (other === undefined) return;
  throw inputError({
    code: 'OPTION_INVALID',
    at: 'endpoint',
    found: `${redactEndpoint(endpoint)}, which is not the mailbox of ${other.name}`,
    allowed: 'the endpoint the pool was made with, spelled as it was',
    fix: 'give that one, or the options file of the pool as --config',
  });
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

async function podsOf(
  { namespace, podSelector }: Workload,
  { api, signal }: ClusterDeps,
): Promise<readonly PodObject[]> {
  const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: podSelector };
  return (await api.list<PodObject>(query, signal)).items;
}

/** Pods that run, and those on their way to: they are what a release's preflight waits for. */
async function podsInUse(workload: Workload, deps: ClusterDeps): Promise<readonly PodObject[]> {
  const pods = await podsOf(workload, deps);
  return pods.filter((pod) => isRunning(pod) || (workload.finished === undefined && isStarting(pod)));
}

function isRunning({ status }: PodObject): boolean {
  return status?.phase === 'Running';
}

function isStarting({ status, metadata }: PodObject): boolean {
  return status?.phase === 'Pending' && metadata.deletionTimestamp === undefined;
}

function podsInWords(pods: readonly PodObject[]): string {
  const running = pods.filter(isRunning).length;
  const starting = pods.length - running;
  return [
    ...(running > 0 ? [count(running, 'running pod')] : []),
    ...(starting > 0 ? [count(starting, 'starting pod')] : []),
  ].join(' and ');
}

/** A StatefulSet's pods end in order only when it is scaled: deleting it outright promises nothing. */
async function bringToRest(workload: Workload, { limitMs = USUAL_LIMIT_MS }: RemoveRequest, deps: ClusterDeps) {
  const { api, clock, signal } = deps;
  await api.scale(workload, 0, {}, signal);
  const end = clock.now() + limitMs;
  for (;;) {
    const pods = await podsOf(workload, deps);
    if (pods.length === 0) return;
    if (clock.now() >= end) {
      throw inputError({
        code: 'POOL_IN_USE',
        at: `${workload.namespace}/StatefulSet/${workload.name}`,
        found: `${count(pods.length, 'pod')} left after ${Math.round(limitMs / 1000)} seconds at 0 replicas`,
        allowed: 'no pods, before it is deleted',
        fix: 'run the same command again: it goes on from here',
      });
    }
    await clock.sleep(POLL_MS, signal);
  }
}

async function claims(
  workload: Workload,
  { purgeClaims, dryRun = false }: RemoveRequest,
  deps: ClusterDeps,
  noteRemoved: (object: ObjectRef) => void,
  kept: { object: string; why: string }[],
): Promise<void> {
  if (!purgeClaims) {
    kept.push({
      object: `the claims of ${workload.name}`,
      why: 'they hold what workers fetched; --purge-claims deletes them',
    });
    return;
  }
  const kind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
  const { namespace, podSelector } = workload;
  const { items } = await deps.api.list({ ...kind, namespace, labelSelector: podSelector }, deps.signal);
  for (const item of items)
    await removeItem({ ...kind, namespace, name: item.metadata.name }, item, dryRun, deps, noteRemoved);
}

async function removeCompanions(
  kind: (typeof COMPANIONS)[number],
  { target, dryRun = false }: RemoveRequest,
  deps: ClusterDeps,
  noteRemoved: (object: ObjectRef) => void,
  kept: { object: string; why: string }[],
): Promise<void> {
  const { namespace } = target;
  try {
    const query = { ...kind, namespace, labelSelector: ourSelector(target) };
    const { items } = await deps.api.list(query, deps.signal);
    for (const item of items)
      await removeItem({ ...kind, namespace, name: item.metadata.name }, item, dryRun, deps, noteRemoved);
  } catch (error) {
    if (isForbidden(error)) kept.push({ object: `${kind.kind} objects`, why: 'no right to list or delete them' });
    // A cluster without Cilium does not know its kind.
    else if (kind.kind !== 'CiliumNetworkPolicy' || !isClusterFailure(error)) throw error;
  }
}

async function removeItem(
  ref: ObjectRef,
  { metadata: { uid } }: LiveObject,
  dryRun: boolean,
  { api, signal }: ClusterDeps,
  noteRemoved: (object: ObjectRef) => void,
): Promise<void> {
  const options = { propagation: 'Background', dryRun, ...(uid !== undefined && { uid }) } as const;
  if (await api.remove(ref, options, signal)) noteRemoved(ref);
}
