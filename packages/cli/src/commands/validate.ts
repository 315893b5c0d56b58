import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { usageError } from '../usage.js';

/** Declares the flag that names the configuration file. */
export function configOption(yargs: Argv): Argv {
  return yargs
    .option('config', {
      alias: 'f',
      type: 'string',
      default: '/etc/rungar/config.yaml',
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
  options: configOption,
  async run(args, world) {
    const { readSettings } = await import('../read-settings.js');
    const { settings, warned } = await readSettings(String(args.config), world);
    for (const warning of warned) world.stderr.write(`Warning: ${warning}\n`);
    const { plural } = await import('../output/words.js');
    const { file, providers, scaleSets } = settings;
    world.stdout.write(
      `${file}: valid (${plural(providers.length, 'provider')}, ${plural(scaleSets.length, 'scale set')})\n`,
    );
    return 0;
  },
};
