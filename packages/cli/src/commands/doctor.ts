import type { Command } from '../command.js';
import { jsonFlag } from './output-flags.js';
import { configOption } from './validate.js';

export const doctorCommand: Command = {
  name: 'doctor',
  describe: 'Look at everything a daemon needs, and say what cures what is wrong',
  options: (yargs) => jsonFlag(configOption(yargs)),
  async run(args, world) {
    const { doctor } = await import('../doctor/doctor.js');
    return doctor({ ...args, config: String(args.config) }, world);
  },
};
