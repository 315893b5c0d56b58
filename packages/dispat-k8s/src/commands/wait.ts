import type { Command } from '../command.js';
import { CLUSTER_FLAGS, clusterWay, connect, TARGET_FLAGS } from './cluster-flags.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** `wait`: until every pod of a pool runs, or serves. */
export const waitCommand: Command = {
  name: 'wait',
  describe: 'wait until every worker of a pool runs and serves its mailbox',
  formats: ['text', 'json'],
  flags: {
    ...TARGET_FLAGS,
    until: text('running, or serving: its log says that it started, then complains of nothing for 10 s (serving)'),
    timeout: text("seconds, or a text like 10m (the pool's preflight)"),
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const [{ readTarget }, { waitAndTell }] = await Promise.all([
      import('./pool-target.js'),
      import('./wait-and-tell.js'),
    ]);
    const { target, flags, problems } = await readTarget(args, waitCommand, world);
    const until = flags.choice('until', ['serving', 'running']);
    const limitMs = flags.durationMs('timeout', 1000);
    problems.throwIfAny();
    const request = { target, ...(until && { until }), ...(limitMs !== undefined && { limitMs }) };
    const api = await connect(clusterWay(flags), world);
    return waitAndTell(request, api, args, world);
  },
};
