import type { Command } from '../command.js';

export const DEFAULT_CONFIG = '/etc/rungar/config.yaml';

export const validateCommand: Command = {
  name: 'validate',
  describe: 'Check a configuration file and the files it names',
  options: (yargs) =>
    yargs.option('config', {
      alias: 'f',
      type: 'string',
      default: DEFAULT_CONFIG,
      describe: 'configuration file',
      requiresArg: true,
    }),
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
