import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { DEFAULT_CONFIG } from '../default-config.js';
import { usageError } from '../usage.js';

/** Declares the flag that names the configuration file. */
export function configOption(yargs: Argv): Argv {
  return yargs
    .option('config', {
      alias: 'f',
      type: 'string',
      default: DEFAULT_CONFIG,
      describe: 'configuration file',
      requiresArg: true,
    })
    .check(({ config }) => {
      // As a script gives it whose variable is not set.
      if (config === '') throw usageError('--config names no file');
      return true;
    });
}

export const validateCommand: Command = {
  name: 'validate',
  describe: 'Check a configuration file and the files it names',
  options: (yargs) =>
    configOption(yargs)
      .option('json', { type: 'boolean', default: false, describe: 'print what was found as JSON' })
      .option('online', {
        type: 'boolean',
        default: false,
        describe: 'also ask GitHub and the providers, changing nothing',
      })
      .option('for-go', {
        type: 'boolean',
        default: false,
        describe: 'also refuse what the Go daemon would not read',
      }),
  async run(args, world) {
    const { validate } = await import('./validate-run.js');
    return validate(
      { path: String(args.config), online: args.online === true, forGo: args.forGo === true },
      args.json === true ? 'json' : 'text',
      world,
    );
  },
};
