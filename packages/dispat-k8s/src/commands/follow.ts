import type { Command } from '../command.js';
import { EXIT } from '../exit.js';
import { CLUSTER_FLAGS, clusterWay, connect, TARGET_FLAGS } from './cluster-flags.js';

/** `follow`: states and logs until the pool ends. */
export const followCommand: Command = {
  name: 'follow',
  describe: "show a pool's changes and its workers' logs until it ends",
  formats: ['text', 'json'],
  flags: {
    ...TARGET_FLAGS,
    json: { type: 'boolean', describe: 'the same as --format json: one JSON document a line' },
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const [{ readTarget, tellStopped }, { follow }, { followText }] = await Promise.all([
      import('./pool-target.js'),
      import('../cluster/follow.js'),
      import('../cluster/report/wait-text.js'),
    ]);
    const { target, flags, problems } = await readTarget(args, followCommand, world);
    problems.throwIfAny();
    const api = await connect(clusterWay(flags), world);
    const { openOutput } = await import('./line-output.js');
    await using output = await openOutput(args, world);
    const isJson = flags.isSet('json') || args.format === 'json';
    const { clock, signal } = world;
    try {
      const { outcome } = await follow(target, { api, clock, signal }, (event) =>
        output.write(isJson ? `${JSON.stringify(event)}\n` : followText(event)),
      );
      return outcome === 'failed' || outcome === 'deleted' ? EXIT.found : EXIT.done;
    } catch (error) {
      if (signal.aborted) tellStopped('following', target, world);
      throw error;
    }
  },
};
