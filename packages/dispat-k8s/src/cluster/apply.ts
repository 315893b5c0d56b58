import type { KubeObject } from '../pool.js';
import { InputError, type InputProblem, isInputError } from '../problems.js';
import { type AppliedObject, type ApplyRequest, applyObject, refOf } from './apply-object.js';
import { applyWorkload, planWorkload } from './apply-workload.js';
import type { ClusterDeps } from './pool-view.js';
import { requireSecrets } from './secrets.js';

/** What became of a pool's objects, in the order in which they were applied. */
export interface ApplyResult {
  readonly dryRun: 'server' | 'client' | undefined;
  readonly objects: readonly AppliedObject[];
}

/**
 * Applies a pool's objects by server-side apply. Everything that would make it refuse is looked at before anything is
 * changed, Secrets excepted, which may need the namespace first.
 * @param onApplied told of each object as it is done
 * @throws InputError `POOL_IN_USE` for a workload that runs with other inputs, `POOL_FINISHED` for a finished Job of the
 * same run, `SECRET_MISSING`, `FIELD_CONFLICT` for each field another manager owns, `OPTIONS_CONFLICT` for objects
 * without a name; the signal's reason when that aborts, which leaves what was done
 */
export async function apply(
  request: ApplyRequest,
  deps: ClusterDeps,
  onApplied: (applied: AppliedObject) => void = () => {},
): Promise<ApplyResult> {
  const { objects, dryRun } = request;
  const done: AppliedObject[] = [];
  const note = (applied: AppliedObject): void => {
    done.push(applied);
    onApplied(applied);
  };
  const refs = objects.map(refOf);
  if (dryRun === 'client') {
    for (const object of refs) note({ object, action: 'configured', note: 'not sent: a dry run of the client' });
    return { dryRun, objects: done };
  }
  const workloads = objects.filter(isWorkload);
  const plans = [];
  for (const object of workloads) plans.push(await planWorkload(object, request, deps));
  await applyCompanions(
    objects.filter((object) => !isWorkload(object)),
    request,
    deps,
    note,
  );
  if (workloads.length > 0) await requireSecrets(deps.api, request.namespace, request.secrets, deps.signal);
  for (const plan of plans) note(await applyWorkload(plan, request, deps));
  return { dryRun, objects: done };
}

function isWorkload({ kind }: KubeObject): boolean {
  return kind === 'Job' || kind === 'StatefulSet';
}

/** Conflicts of all of them are told at once, before the workloads. */
async function applyCompanions(
  objects: readonly KubeObject[],
  request: ApplyRequest,
  deps: ClusterDeps,
  note: (applied: AppliedObject) => void,
): Promise<void> {
  const conflicts: InputProblem[] = [];
  for (const object of objects) {
    try {
      note(await applyObject(object, request, deps));
    } catch (error) {
      if (!isInputError(error) || error.problems.some(({ code }) => code !== 'FIELD_CONFLICT')) throw error;
      conflicts.push(...error.problems);
    }
  }
  if (conflicts.length > 0) throw new InputError(conflicts);
}
