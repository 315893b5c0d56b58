import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { usageError } from '../usage.js';

export const planCommand: Command = {
  name: 'plan [scale-sets..]',
  describe: 'Show what the next pass would do, and why; changes nothing',
  options: (yargs): Argv =>
    yargs
      .positional('scale-sets', { type: 'string', array: true, describe: 'the scale sets; all without a name' })
      .option('config', {
        alias: 'f',
        type: 'string',
        requiresArg: true,
        describe: 'plan as if this configuration were in force',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print a JSON document' })
      .check(({ config }) => {
        if (config === '') throw usageError('--config names no file');
        return true;
      }),
  async run(args, world) {
    const [{ showPlan }, { socketPath }] = await Promise.all([
      import('./plan-run.js'),
      import('../control/socket-path.js'),
    ]);
    return showPlan(
      {
        socket: socketPath(args.socket, world.env),
        scaleSets: Array.isArray(args.scaleSets) ? args.scaleSets.map(String) : [],
        ...(typeof args.config === 'string' && { config: args.config }),
      },
      args.json === true ? 'json' : 'text',
      world,
    );
  },
};
