import type { Command } from '../command.js';
import { jsonFlag } from './output-flags.js';

export const topCommand: Command = {
  name: 'top',
  describe: 'Watch the queue, runners, waits and back-offs as they are; q quits',
  options: jsonFlag,
  async run(args, world) {
    const { showTop } = await import('../fleet/top.js');
    return showTop(args, args.socket, world);
  },
};
