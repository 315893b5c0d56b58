import { spawn } from 'node:child_process';
import type { ClusterPort, PoolPhase, WatchedPool } from './cluster-port.js';
import type { WatchLock } from './watch-lock.js';

export interface ExecOptions {
  /** A command line of the user's own, for `sh`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Where what the command prints goes: a file descriptor of this process, which outlives it, or a function. A command
   * that prints to a function is ended by that when this process ends.
   */
  readonly output: number | ((text: string) => void);
  readonly lock?: WatchLock;
}

/**
 * Starts pools by a command of the user's. It is told the pool by `DWM_PREFIX`, `DWM_COUNT` and `DWM_NODES`, all of
 * which are configured: nothing a mailbox says reaches it. While the command runs the pool counts as starting; how it
 * ended tells how the pool ended. A command that follows the pool to its end keeps the watcher from starting another.
 */
export function execPort({ command, env, output, lock }: ExecOptions): ClusterPort {
  const phases = new Map<string, PoolPhase>();
  return {
    phaseOf: async ({ prefix }) => phases.get(prefix) ?? 'none',
    async start(pool, signal) {
      signal.throwIfAborted();
      // Its own group and no signal: a watcher that ends must not end a pool.
      const child = spawn('sh', ['-c', command], {
        env: { ...env, ...variablesOf(pool) },
        stdio: typeof output === 'number' ? ['ignore', output, output] : ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      if (typeof output !== 'number') {
        for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', output);
      }
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      phases.set(pool.prefix, 'starting');
      // Not 'close', which something it leaves in the background would hold off for as long as that prints.
      child.once('exit', (code) => phases.set(pool.prefix, code === 0 ? 'finished' : 'failed'));
      child.unref();
    },
    hold: async (signal) => (lock === undefined ? true : lock.hold(signal)),
    release: async () => lock?.release(),
  };
}

function variablesOf({ prefix, count }: WatchedPool): Record<string, string> {
  const nodes = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  return { DWM_PREFIX: prefix, DWM_COUNT: String(count), DWM_NODES: nodes.join(' ') };
}
