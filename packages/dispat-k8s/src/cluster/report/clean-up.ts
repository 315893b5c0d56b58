import type { PoolTarget } from '../workloads.js';

/** The command that removes a pool. */
export function removedByCommand({ namespace, name, runId, variation }: PoolTarget): string {
  const parts = ['dispat-worker-manifest delete', `--namespace ${namespace}`, `--name ${name}`];
  if (runId !== undefined) parts.push(`--run-id ${runId}`);
  if (variation === 'statefulset') parts.push('--variation statefulset');
  return parts.join(' ');
}
