import type { Command } from '../command.js';
import { DEFAULT_CONFIG } from './validate.js';

export const serveCommand: Command = {
  name: 'serve',
  describe: 'Run the daemon until it is told to stop',
  options: (yargs) =>
    yargs.option('config', {
      alias: 'f',
      type: 'string',
      default: DEFAULT_CONFIG,
      describe: 'configuration file',
      requiresArg: true,
    }),
  async run(args, world) {
    const { serve } = await import('../serve.js');
    return serve(String(args.config), world);
  },
};
