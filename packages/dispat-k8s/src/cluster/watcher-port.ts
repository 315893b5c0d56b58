import { type Clock, limitTime, type Random } from '@rungar/model';
import type { ClusterPort, PoolPhase, WatchedPool } from '../demand/cluster-port.js';
import { generatePool } from '../generate/generate.js';
import type { Pool, PoolOptions } from '../pool.js';
import type { ClusterApi } from './api.js';
import { apply } from './apply.js';
import { ClusterLease } from './lease.js';
import { nodeStates, type PodObject } from './pods.js';
import { secretsOf } from './secrets.js';
import { WORKLOAD_KINDS, type WorkloadObject, workloadOf } from './workloads.js';

export interface WatcherPortDeps {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly random: Random;
}

const RELEASE_LIMIT_MS = 5000;

/** What a watcher of a mailbox needs of a cluster, for the pools of these options. It never stops a pod. */
export function watcherPort(options: PoolOptions, { api, clock, random }: WatcherPortDeps): ClusterPort {
  const me = `watcher-${Buffer.from(random.bytes(8)).toString('hex')}`;
  const lease = new ClusterLease(options.namespace, `${options.name}-watcher`, me, api, clock);
  return {
    phaseOf: (pool, signal) => phaseOf(poolOf(pool, options), options, api, signal),
    async start(pool, signal) {
      const { objectName } = poolOf(pool, options);
      const others = new Set(options.pools.map((one) => one.objectName).filter((name) => name !== objectName));
      const objects = generatePool(options).objects.filter(({ metadata }) => !others.has(metadata.name ?? ''));
      const { namespace } = options;
      await apply({ objects, namespace, secrets: secretsOf(options) }, { api, clock, signal });
    },
    hold: (signal) => lease.hold(signal),
    async release() {
      using limit = limitTime(clock, RELEASE_LIMIT_MS, () => new Error('the lease could not be given back in time'));
      await lease.release(limit.signal);
    },
  };
}

function poolOf({ prefix }: WatchedPool, { pools }: PoolOptions): Pool {
  const pool = pools.find((one) => one.prefix === prefix);
  if (pool === undefined) throw new TypeError(`no pool of the options has the prefix ${prefix}`);
  return pool;
}

async function phaseOf(
  { objectName, prefix }: Pool,
  { namespace, variation }: PoolOptions,
  api: ClusterApi,
  signal: AbortSignal,
): Promise<PoolPhase> {
  const live = await api.read<WorkloadObject>({ ...WORKLOAD_KINDS[variation], namespace, name: objectName }, signal);
  if (live === undefined) return 'none';
  const workload = workloadOf(live, prefix);
  if (workload.finished) return workload.finished.as === 'complete' ? 'finished' : 'failed';
  if (workload.nodes.length === 0) return 'none';
  const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: workload.podSelector };
  const { items } = await api.list<PodObject>(query, signal);
  return nodeStates(workload, items).some(({ phase }) => phase === 'running') ? 'serving' : 'starting';
}
