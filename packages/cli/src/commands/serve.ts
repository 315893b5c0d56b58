import type { Command } from '../command.js';
import { usageError } from '../usage.js';
import { configOption } from './validate.js';

export const serveCommand: Command = {
  name: 'serve',
  describe: 'Run the daemon until it is told to stop',
  options: (yargs) =>
    configOption(yargs)
      .option('record', {
        type: 'string',
        requiresArg: true,
        describe: 'append every decision, with what it was made from, to this file; for rungar replay',
      })
      // A flag of all commands, which none that listens goes by.
      .hide('socket')
      .check(({ record, socket }) => {
        if (socket !== undefined)
          throw usageError("serve takes no --socket: the configuration's `socket` says where it listens");
        if (record === '') throw usageError('--record names no file');
        return true;
      }),
  async run(args, world) {
    const { serve } = await import('../serve.js');
    const { record } = args;
    return serve(String(args.config), { ...(typeof record === 'string' && { record }) }, world);
  },
};
