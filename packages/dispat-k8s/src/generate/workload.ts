import type { KubeObject, Pool, PoolOptions } from '../pool.js';
import { podSelector, poolLabels, workloadAnnotations } from './labels.js';
import { podTemplate } from './pod.js';

type Metadata = KubeObject['metadata'];

/** A pool's Job or StatefulSet. */
export function workload(pool: Pool, options: PoolOptions, hash: string): KubeObject {
  return options.variation === 'job' ? job(pool, options, hash) : statefulSet(pool, options, hash);
}

function job(pool: Pool, options: PoolOptions, hash: string): KubeObject {
  const { failureScope, ttl } = options;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: workloadMetadata(pool, options, hash),
    spec: {
      completionMode: 'Indexed',
      completions: pool.count,
      parallelism: pool.count,
      ...(failureScope === 'job' ? { backoffLimit: 0 } : { backoffLimitPerIndex: 0 }),
      ttlSecondsAfterFinished: ttl,
      template: podTemplate(pool, options),
    },
  };
}

function workloadMetadata(pool: Pool, options: PoolOptions, hash: string): Metadata {
  const { namespace, generateName, kueueQueue } = options;
  const queue = kueueQueue !== undefined && { 'kueue.x-k8s.io/queue-name': kueueQueue };
  const labels = queue ? { ...poolLabels(pool, options), ...queue } : poolLabels(pool, options);
  const annotations = workloadAnnotations(pool, options, hash);
  return {
    ...(generateName ? { generateName: `${pool.objectName}-` } : { name: pool.objectName }),
    namespace,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
}

/**
 * The variation that keeps fetched objects between releases. All pods start at once, none is restarted by an edit, and
 * the claims outlive a scale to zero.
 */
function statefulSet(pool: Pool, options: PoolOptions, hash: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: workloadMetadata(pool, options, hash),
    spec: {
      serviceName: pool.objectName,
      replicas: options.replicas ?? pool.count,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: podSelector(pool, options) },
      template: podTemplate(pool, options),
      volumeClaimTemplates: [stateClaim(options)],
    },
  };
}

function stateClaim({ storage, storageClass }: PoolOptions): Readonly<Record<string, unknown>> {
  return {
    metadata: { name: 'state' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      resources: { requests: { storage } },
    },
  };
}
