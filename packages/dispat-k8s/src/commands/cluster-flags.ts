import type { ClusterApi } from '../cluster/api.js';
import type { World } from '../command.js';
import type { FlagReader } from '../flag-reader.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** The way to the cluster. */
export const CLUSTER_FLAGS = {
  kubeconfig: text("this kubeconfig, in place of KUBECONFIG, ~/.kube/config or the pod's own account"),
  context: text('another context than the current one'),
};

/** Which pool. */
export const TARGET_FLAGS = {
  namespace: text('its namespace (release)'),
  name: text("its objects' name (dispat-workers)"),
  'run-id': text("its run's id"),
  'run-id-from': text('the text its run id was made from'),
  variation: text('job or statefulset (job)'),
  prefix: text("what stands before the index in a node's name, for manifests made elsewhere (w-)"),
};

/** The way to the cluster as a command was told it. */
export interface ClusterWay {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

export function clusterWay(flags: FlagReader): ClusterWay {
  return { kubeconfig: flags.text('kubeconfig'), context: flags.text('context') };
}

/** Connects that way. */
export async function connect({ kubeconfig, context }: ClusterWay, world: World): Promise<ClusterApi> {
  const { connectCluster } = await import('../cluster/connect.js');
  return connectCluster(
    {
      env: world.env,
      clock: world.clock,
      ...(kubeconfig !== undefined && { file: kubeconfig }),
      ...(context !== undefined && { context }),
    },
    world.signal,
  );
}
