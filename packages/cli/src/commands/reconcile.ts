import type { Command } from '../command.js';
import { jsonFlag } from './output-flags.js';

export const reconcileCommand: Command = {
  name: 'reconcile [scale-sets..]',
  describe: 'Run a pass now, and wait for it',
  options: (yargs) =>
    jsonFlag(
      yargs.positional('scale-sets', { type: 'string', array: true, describe: 'the scale sets; all without a name' }),
    ),
  async run(args, world) {
    const [{ reconcile }, { openSession }] = await Promise.all([
      import('../fleet/reconcile.js'),
      import('../control/session.js'),
    ]);
    const names = Array.isArray(args.scaleSets) ? args.scaleSets.map(String) : [];
    return reconcile(names, args, openSession(args.socket, world));
  },
};
