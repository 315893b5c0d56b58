import { type Clock, limitTime, type Random } from '@rungar/model';
import type { ClusterPort, PoolPhase, WatchedPool } from '../demand/cluster-port.js';
import { lockLifeMs } from '../demand/watch-lock.js';
import { generatePool } from '../generate/generate.js';
import type { Pool, PoolOptions } from '../pool.js';
import type { ClusterApi } from './api.js';
import { apply } from './apply.js';
import { ClusterLease } from './lease.js';
import { nodeStates, type PodObject } from './pods.js';
import { secretsOf } from './secrets.js';
import { WORKLOAD_KINDS, type WorkloadObject, workloadOf } from './workloads.js';

/** What pools are watched and started through. */
export interface WatcherPortDeps {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly random: Random;
  /** The time between two signs of life of this watcher, in milliseconds. */
  readonly intervalMs: number;
}

const RELEASE_LIMIT_MS = 5000;

/** What a watcher of a mailbox needs of a cluster, for the pools of these options. It never stops a pod. */
export function watcherPort(options: PoolOptions, { api, clock, random, intervalMs }: WatcherPortDeps): ClusterPort {
  const me = `watcher-${Buffer.from(random.bytes(8)).toString('hex')}`;
  const lease = new ClusterLease(options.namespace, `${options.name}-watcher`, me, api, clock, lockLifeMs(intervalMs));
  return {
    phaseOf: (pool, signal) => phaseOf(poolOf(pool, options), options, api, signal),
    async start(pool, signal) {
      const { objectName, prefix } = poolOf(pool, options);
      const others = new Set(options.pools.map((one) => one.objectName).filter((name) => name !== objectName));
      const objects = generatePool(options).objects.filter(({ metadata }) => !others.has(metadata.name ?? ''));
      const { namespace } = options;
      // A pool with a run id of its own has one name for every run that this watcher serves.
      const live = await workloadAt(objectName, options, api, signal);
      const replace = live !== undefined && workloadOf(live, prefix).ours;
      await apply({ objects, namespace, secrets: secretsOf(options), replace }, { api, clock, signal });
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

async function workloadAt(
  name: string,
  { namespace, variation }: Pick<PoolOptions, 'namespace' | 'variation'>,
  api: ClusterApi,
  signal: AbortSignal,
): Promise<WorkloadObject | undefined> {
  return api.read<WorkloadObject>({ ...WORKLOAD_KINDS[variation], namespace, name }, signal);
}

async function phaseOf(
  { objectName, prefix }: Pool,
  { namespace, variation }: PoolOptions,
  api: ClusterApi,
  signal: AbortSignal,
): Promise<PoolPhase> {
  const live = await workloadAt(objectName, { namespace, variation }, api, signal);
  if (live === undefined) return 'none';
  const workload = workloadOf(live, prefix);
  if (workload.finished) return workload.finished.as === 'complete' ? 'finished' : 'failed';
  if (workload.nodes.length === 0) return 'none';
  const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: workload.podSelector };
  const { items } = await api.list<PodObject>(query, signal);
  return nodeStates(workload, items).some(({ phase }) => phase === 'running') ? 'serving' : 'starting';
}
