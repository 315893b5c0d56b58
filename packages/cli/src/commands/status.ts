import type { Command } from '../command.js';
import { listFlags } from './output-flags.js';

export const statusCommand: Command = {
  name: 'status',
  describe: 'Show the daemon, its scale sets, providers and runners',
  options: (yargs) =>
    listFlags(yargs).option('watch', {
      alias: 'w',
      type: 'boolean',
      default: false,
      describe: 'show it again whenever it changes',
    }),
  async run(args, world) {
    const [{ showStatus, watchStatus }, { openSession }] = await Promise.all([
      import('../fleet/status.js'),
      import('../control/session.js'),
    ]);
    return args.watch === true
      ? watchStatus(args, args.socket, world)
      : showStatus(args, openSession(args.socket, world));
  },
};
