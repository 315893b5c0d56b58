import type { PoolOptions } from '../pool.js';

/** The text of a worker's dispat.json, cut where the index goes. */
export interface SplitFile {
  readonly head: string;
  readonly tail: string;
}

type WorkerSettings = Pick<PoolOptions, 'endpoint' | 'secretEnv' | 'concurrency' | 'transfer' | 'logFormat'>;

/**
 * A worker's configuration without its index. Both halves come out of a JSON serialiser, so that head, digits and tail
 * put together are JSON whatever the values hold.
 */
export function splitWorkerFile(
  prefix: string,
  { endpoint, secretEnv, concurrency, transfer, logFormat }: WorkerSettings,
): SplitFile {
  const rest = { endpoint, secretEnv, concurrency, ...(transfer && { transfer }) };
  return {
    head: `{"execution":{"role":"worker","name":${JSON.stringify(prefix).slice(0, -1)}`,
    tail: `",${JSON.stringify(rest).slice(1)},"logFormat":${JSON.stringify(logFormat)}}`,
  };
}

/** The same file, laid out as the documentation prints it, with `index` standing for the index as the shell reads it. */
export function documentedWorkerFile(prefix: string, index: string, settings: WorkerSettings): string {
  const { endpoint, secretEnv, concurrency, transfer, logFormat } = settings;
  const execution = {
    role: 'worker',
    name: `${prefix}${index}`,
    endpoint,
    secretEnv,
    concurrency,
    ...(transfer && { transfer }),
  };
  return JSON.stringify({ execution, logFormat }, null, 2);
}
