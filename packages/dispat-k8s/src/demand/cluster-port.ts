/** One pool a watcher starts: its names are `<prefix>0` up to `<prefix><count - 1>`. */
export interface WatchedPool {
  readonly prefix: string;
  readonly count: number;
}

/**
 * How a pool's workload stands: there is none; it exists, but no pod of it runs yet; at least one pod runs; it has
 * ended well; it has failed. Of several the one that is alive counts, else the newest.
 */
export type PoolPhase = 'none' | 'starting' | 'serving' | 'finished' | 'failed';

/** What a watcher asks of whatever starts pools: a cluster, or a command of the user's. It never stops anything. */
export interface ClusterPort {
  /** @throws when it cannot be told; the watcher then leaves everything as it is */
  phaseOf(pool: WatchedPool, signal: AbortSignal): Promise<PoolPhase>;
  /** Creates the pool's workload with its configured count. Called only when none is alive. */
  start(pool: WatchedPool, signal: AbortSignal): Promise<void>;
  /** Takes or renews the right to be the only watcher of these pools; false while another one has it. */
  hold(signal: AbortSignal): Promise<boolean>;
  /** Gives that right back. */
  release(): Promise<void>;
}
