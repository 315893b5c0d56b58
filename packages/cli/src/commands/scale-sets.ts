import type { Argv } from 'yargs';
import type { Command } from '../command.js';

const CHANGES = {
  pause: { method: 'PauseScaleSet', state: 'paused' },
  resume: { method: 'ResumeScaleSet', state: 'resumed' },
} as const;

export const scaleSetsCommand: Command = {
  name: 'scale-sets <change> <name>',
  describe: 'Pause or resume a scale set',
  options: (yargs): Argv =>
    yargs
      .positional('change', { choices: Object.keys(CHANGES), describe: 'what to do with it' })
      .positional('name', { type: 'string', describe: 'the scale set' }),
  async run(args, world) {
    const [{ call }, { socketPath }] = await Promise.all([
      import('../control/call.js'),
      import('../control/socket-path.js'),
    ]);
    const { method, state } = CHANGES[args.change as keyof typeof CHANGES];
    const after = await call<import('../control/answers.js').ScaleSetAnswer>({
      socket: socketPath(args.socket, world.env),
      method,
      body: { name: args.name },
      signal: world.signal,
    });
    const asConfigured = (after.paused ?? false) === (after.configured_paused ?? false);
    world.stdout.write(
      `${args.name}: ${state}${asConfigured ? ', as the configuration has it' : ' until the daemon restarts'}\n`,
    );
    return 0;
  },
};
