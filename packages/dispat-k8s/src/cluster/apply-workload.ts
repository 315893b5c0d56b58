import { ANNOTATIONS, type KubeObject, LABELS } from '../pool.js';
import { inputError } from '../problems.js';
import type { NamespacedName, ObjectRef } from './api.js';
import { type AppliedObject, type ApplyRequest, applyObject, refOf } from './apply-object.js';
import type { ClusterDeps } from './pool-view.js';
import { type WorkloadObject, workloadOf } from './workloads.js';

/** What is to be done about one workload. */
export type WorkloadPlan = { readonly object: KubeObject; readonly ref: ObjectRef } & (
  | { readonly act: 'apply' }
  | { readonly act: 'keep'; readonly note?: string }
  /** Apply once the one that is being deleted has gone. */
  | { readonly act: 'await' }
  | { readonly act: 'replace'; readonly uid: string }
  | {
      readonly act: 'scale';
      readonly statefulSet: NamespacedName;
      readonly replicas: number;
      readonly note?: string;
    }
);

const TEMPLATE_KEPT = 'its template is as it was: change it with --update-template while it has no replicas';
const GONE_POLL_MS = 500;
/** A finished Job's pods have ended, so that its end is a matter of seconds. */
const GONE_LIMIT_MS = 120_000;

/**
 * Looks at what the cluster has under a workload's name, and decides. Nothing is changed.
 * @throws InputError `POOL_IN_USE` or `POOL_FINISHED`
 */
export async function planWorkload(
  object: KubeObject,
  request: ApplyRequest,
  { api, signal }: ClusterDeps,
): Promise<WorkloadPlan> {
  const ref = refOf(object);
  const live = await api.read<WorkloadObject>(ref, signal);
  if (live === undefined) return { object, ref, act: 'apply' };
  if (live.metadata.deletionTimestamp !== undefined) return { object, ref, act: 'await' };
  return object.kind === 'Job' ? planJob(object, ref, live, request) : planStatefulSet(object, ref, live, request);
}

function planJob(object: KubeObject, ref: ObjectRef, live: WorkloadObject, { replace }: ApplyRequest): WorkloadPlan {
  const { finished, ours, uid } = workloadOf(live);
  if (finished === undefined) {
    if (hasEqualInputs(object, live)) return { object, ref, act: 'keep' };
    throw inUse(ref, ours ? 'a Job of other inputs, which has not finished' : 'a Job that this program did not make');
  }
  const hasRun = object.metadata.labels?.[LABELS.run] !== undefined;
  if (replace || (ours && !hasRun)) return { object, ref, act: 'replace', uid };
  throw inputError({
    code: 'POOL_FINISHED',
    at: targetOf(ref),
    found: `a Job that has finished (${finished.as})`,
    allowed: 'a name that no Job has: a Job that finished starts no pods again',
    fix: 'give this release a --run-id of its own, or replace the finished Job with --replace',
  });
}

function planStatefulSet(
  object: KubeObject,
  ref: ObjectRef,
  live: WorkloadObject,
  { updateTemplate }: ApplyRequest,
): WorkloadPlan {
  const wanted = replicasOf(object);
  const now = Math.max(live.spec?.replicas ?? 1, live.status?.replicas ?? 0);
  const isEqual = hasEqualInputs(object, live);
  if (updateTemplate && !isEqual) {
    if (now === 0) return { object, ref, act: 'apply' };
    throw inUse(ref, `${now} replicas, whose template would change under them`);
  }
  if (now > wanted) throw inUse(ref, `${now} replicas, more than the ${wanted} asked for: scaling down ends workers`);
  const note = isEqual ? {} : { note: TEMPLATE_KEPT };
  if (now === wanted) return { object, ref, act: 'keep', ...note };
  const { namespace, name } = workloadOf(live);
  return { object, ref, act: 'scale', statefulSet: { namespace, name }, replicas: wanted, ...note };
}

function replicasOf({ spec }: KubeObject): number {
  const replicas = typeof spec === 'object' && spec !== null && 'replicas' in spec ? spec.replicas : undefined;
  return typeof replicas === 'number' ? replicas : 1;
}

function hasEqualInputs(object: KubeObject, live: WorkloadObject): boolean {
  const wanted = object.metadata.annotations?.[ANNOTATIONS.inputHash];
  return wanted !== undefined && wanted === live.metadata.annotations?.[ANNOTATIONS.inputHash];
}

function inUse(ref: ObjectRef, found: string): Error {
  return inputError({
    code: 'POOL_IN_USE',
    at: targetOf(ref),
    found,
    allowed: 'a pool that no run can be using',
    fix: 'wait for it to end, or give this release a --run-id of its own',
  });
}

function targetOf({ namespace, kind, name }: ObjectRef): string {
  return `${namespace ?? ''}/${kind}/${name}`;
}

/** Carries a plan out. */
export async function applyWorkload(
  plan: WorkloadPlan,
  request: ApplyRequest,
  deps: ClusterDeps,
): Promise<AppliedObject> {
  const { object, ref } = plan;
  const dryRun = request.dryRun === 'server';
  switch (plan.act) {
    case 'apply':
      return applyObject(object, request, deps);
    case 'keep':
      return { object: ref, action: 'unchanged', ...(plan.note !== undefined && { note: plan.note }) };
    case 'await':
      if (!dryRun) await untilGone(ref, undefined, deps);
      return dryRun ? { object: ref, action: 'created' } : applyObject(object, request, deps);
    case 'replace': {
      await deps.api.remove(ref, { propagation: 'Foreground', uid: plan.uid, dryRun }, deps.signal);
      if (!dryRun) {
        await untilGone(ref, plan.uid, deps);
        await applyObject(object, request, deps);
      }
      return { object: ref, action: 'replaced', note: 'the finished Job of this name was deleted' };
    }
    case 'scale': {
      await deps.api.scale(plan.statefulSet, plan.replicas, { dryRun }, deps.signal);
      return { object: ref, action: 'scaled', ...(plan.note !== undefined && { note: plan.note }) };
    }
  }
}

async function untilGone(ref: ObjectRef, uid: string | undefined, { api, clock, signal }: ClusterDeps): Promise<void> {
  const end = clock.now() + GONE_LIMIT_MS;
  for (;;) {
    const live = await api.read(ref, signal);
    if (live === undefined || (uid !== undefined && live.metadata.uid !== uid)) return;
    if (clock.now() >= end) throw inUse(ref, `a deletion that has not ended in ${GONE_LIMIT_MS / 1000} seconds`);
    await clock.sleep(GONE_POLL_MS, signal);
  }
}
