import type { Command } from '../command.js';
import { CLUSTER_FLAGS } from './cluster-flags.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const flag = (describe: string) => ({ type: 'boolean', describe }) as const;

/** `demand`: what waits in a mailbox. */
export const demandCommand: Command = {
  name: 'demand',
  describe: 'count what waits in a mailbox, once or repeatedly, and start pools from zero',
  usage:
    '$0 demand --endpoint ENDPOINT [options]\n\nOne `git ls-remote`; with --inspect also the tips. It never deletes a branch, and never stops or\nshrinks a pool.',
  formats: ['text', 'json'],
  flags: {
    endpoint: text("the mailbox; a pool file's own where it is not given"),
    prefix: { ...text('a pool by its node prefix, PREFIX or PREFIX=COUNT'), array: true },
    pool: { ...text("a pool's options file: its prefixes, counts, endpoint and timeouts"), array: true },
    inspect: flag('look at the tips of the branches: unclaimed, running, done or withdrawn'),
    'retained-after': text(
      'seconds after which a publish that does not move counts as given up (task timeout + cancel)',
    ),
    timeout: text('seconds git may take (30)'),
    watch: flag('poll until interrupted; always inspects'),
    interval: text('seconds between polls (10)'),
    exec: text('with --watch: run this command for a pool that is wanted (DWM_PREFIX, DWM_COUNT, DWM_NODES)'),
    apply: text("with --watch: apply this pool's options file when it is wanted"),
    eager: flag('with --watch: start at the first sight of probes, not the second'),
    max: text('with --watch: never start a larger pool (50)'),
    'serve-queued': flag('with --watch: also start for waiting work without a probe'),
    retry: flag('with --watch: start again for the same probes after a pool has failed'),
    preflight: text("with --watch: the run's preflight in seconds, for a warning (600)"),
    'lock-file': text('with --watch: one watcher acts at a time, by this file; with --apply a Lease does'),
    'serve-metrics': text('with --watch: Prometheus text at this PORT or HOST:PORT, /metrics'),
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const { runDemand } = await import('../demand/run-demand.js');
    return runDemand(args, world, demandCommand);
  },
};
