import type { Command } from '../command.js';

export const statusCommand: Command = {
  name: 'status',
  describe: 'Show the daemon, its scale sets, providers and runners',
  options: (yargs) => yargs.option('json', { type: 'boolean', describe: 'one JSON document' }),
  async run(args, world) {
    const [{ call }, { socketPath }, { statusLines }, { styleFor }] = await Promise.all([
      import('../control/call.js'),
      import('../control/socket-path.js'),
      import('../output/status.js'),
      import('../output/style.js'),
    ]);
    const socket = socketPath(args.socket, world.env);
    const status = await call<import('../control/answers.js').StatusAnswer>({
      socket,
      method: 'GetStatus',
      signal: world.signal,
    });
    if (args.json) {
      world.stdout.write(`${JSON.stringify(status, null, 2)}\n`);
      return 0;
    }
    const { systemClock } = await import('@rungar/model');
    const { stdout } = world;
    const lines = statusLines(status, {
      style: styleFor(stdout, world.env),
      now: systemClock.wallNow(),
      ...(stdout.isTTY && stdout.columns !== undefined && { width: stdout.columns }),
    });
    stdout.write(`${lines.join('\n')}\n`);
    return 0;
  },
};
