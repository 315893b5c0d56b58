import type { KubeObject } from '../pool.js';
import { inputError } from '../problems.js';
import type { LiveObject, ObjectRef } from './api.js';
import { isForbidden } from './failures.js';
import type { ClusterDeps } from './pool-view.js';
import type { SecretKey } from './secrets.js';

/** A pool to apply. */
export interface ApplyRequest {
  /** In the order to apply them: the namespace first, the workloads last, as `generate` gives them. */
  readonly objects: readonly KubeObject[];
  readonly namespace: string;
  /** Checked by key name before a workload is made. */
  readonly secrets: readonly SecretKey[];
  /** Delete a finished Job of the same name and run, and create it anew. */
  readonly replace?: boolean;
  /** Take over fields that another manager owns. */
  readonly forceConflicts?: boolean;
  /** Change a StatefulSet's pod template, which is refused while it has replicas. */
  readonly updateTemplate?: boolean;
  /** `server`: the cluster checks everything and keeps nothing. `client`: nothing is sent at all. */
  readonly dryRun?: 'server' | 'client';
}

/** What became of an object, or would. */
export type ApplyAction = 'created' | 'configured' | 'unchanged' | 'replaced' | 'scaled';

/** What became of one object. */
export interface AppliedObject {
  readonly object: ObjectRef;
  readonly action: ApplyAction;
  /** Something to know about it. */
  readonly note?: string;
}

/** @throws InputError when the object leaves its name to the cluster */
export function refOf(object: KubeObject): ObjectRef {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  if (name !== undefined) return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
  throw inputError({
    code: 'OPTIONS_CONFLICT',
    at: kind,
    found: 'a name that the cluster completes (--generate-name)',
    allowed: 'a name, as apply finds objects by it',
    fix: 'use --run-id for a name of its own per release, or `kubectl create` the manifest',
  });
}

/** Applies one object, and says whether that changed anything. */
export async function applyObject(
  object: KubeObject,
  { forceConflicts, dryRun }: Pick<ApplyRequest, 'forceConflicts' | 'dryRun'>,
  { api, signal }: ClusterDeps,
): Promise<AppliedObject> {
  const ref = refOf(object);
  const before = await readIfAllowed(ref, { api, signal });
  const options = { ...(forceConflicts && { force: true }), ...(dryRun === 'server' && { dryRun: true }) };
  const { object: after, created } = await api.apply(object, options, signal);
  const same = before !== undefined && before.metadata.resourceVersion === after.metadata.resourceVersion;
  return { object: ref, action: created ? 'created' : same ? 'unchanged' : 'configured' };
}

/** A right to apply need not come with a right to read; then it is only not known whether anything changed. */
async function readIfAllowed(ref: ObjectRef, { api, signal }: Pick<ClusterDeps, 'api' | 'signal'>) {
  try {
    return await api.read<LiveObject>(ref, signal);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
