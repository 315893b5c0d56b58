import type { Command } from '../command.js';
import { poolFlags } from '../options/flags.js';
import { CLUSTER_FLAGS } from './cluster-flags.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const flag = (describe: string) => ({ type: 'boolean', describe }) as const;

/** `apply`: a pool's objects into a cluster. */
export const applyCommand: Command = {
  name: 'apply',
  describe: "create or update a pool's objects in a cluster, and wait for it if asked",
  usage:
    '$0 apply [options]\n\nTakes the options of generate, checks what it is about to apply, and refuses what would touch a pool in use.',
  formats: ['text', 'json'],
  flags: {
    ...poolFlags(),
    replace: flag('delete a finished Job of this name and run, and create it anew'),
    'force-conflicts': flag('take over fields that another manager set'),
    'update-template': flag("StatefulSet: change its pods' template too, while it has none"),
    'dry-run': text('server: the cluster checks and keeps nothing; client: nothing is sent'),
    'dispat-config': text("the orchestrator's file, for the check"),
    'no-check': flag('do not check the manifests first'),
    wait: flag('then wait, as the wait command does'),
    until: text('with --wait: running or serving (serving)'),
    timeout: text('with --wait: seconds, or a text like 10m (the preflight)'),
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const { applyAndTell } = await import('./apply-and-tell.js');
    return applyAndTell(args, applyCommand, world);
  },
};
