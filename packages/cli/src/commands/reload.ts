import type { Command } from '../command.js';
import { jsonFlag } from './output-flags.js';

export const reloadCommand: Command = {
  name: 'reload',
  describe: 'Have the daemon read its configuration and the files it names again',
  options: jsonFlag,
  async run(args, world) {
    const [{ reload }, { openSession }] = await Promise.all([
      import('../fleet/reload.js'),
      import('../control/session.js'),
    ]);
    return reload(args, openSession(args.socket, world));
  },
};
