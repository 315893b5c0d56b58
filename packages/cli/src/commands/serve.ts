import type { Command } from '../command.js';
import { configOption } from './validate.js';

export const serveCommand: Command = {
  name: 'serve',
  describe: 'Run the daemon until it is told to stop',
  options: configOption,
  async run(args, world) {
    const { serve } = await import('../serve.js');
    return serve(String(args.config), world);
  },
};
