import type { Argv } from 'yargs';
import type { Command } from '../command.js';

export const replayCommand: Command = {
  name: 'replay <file>',
  describe: 'Run recorded decisions through this version, and show where it decides otherwise',
  options: (yargs): Argv =>
    yargs
      .positional('file', { type: 'string', describe: 'what serve --record has written' })
      .option('json', { type: 'boolean', default: false, describe: 'print a JSON document' }),
  async run(args, world) {
    const { replay } = await import('./replay-run.js');
    return replay(String(args.file), args.json === true ? 'json' : 'text', world);
  },
};
