import type { Command } from '../command.js';
import { EXIT, StopRequest } from '../exit.js';
import { usageError } from '../usage.js';

export const eventsCommand: Command = {
  name: 'events',
  describe: 'Show what happened, oldest first',
  options: (yargs) =>
    yargs
      .option('follow', { alias: 'f', type: 'boolean', describe: 'keep printing new events' })
      .option('tail', {
        alias: 'n',
        type: 'number',
        default: 0,
        describe: 'only the last N of the history; 0 is all',
        requiresArg: true,
      })
      .option('scale-set', { type: 'string', describe: 'only of this scale set', requiresArg: true })
      .option('provider', { type: 'string', describe: 'only of this provider and its runners', requiresArg: true })
      .option('runner', { type: 'string', describe: 'only of this runner', requiresArg: true })
      .option('json', { type: 'boolean', describe: 'one JSON object per line' })
      .check(({ tail }) => {
        if (!Number.isInteger(tail) || (tail as number) < 0) throw usageError('--tail takes a whole number from 0');
        return true;
      }),
  async run(args, world) {
    const [{ stream }, { socketPath }, { eventPrinter }, { styleFor }] = await Promise.all([
      import('../control/call.js'),
      import('../control/socket-path.js'),
      import('../output/events.js'),
      import('../output/style.js'),
    ]);
    const line = args.json ? JSON.stringify : eventPrinter(styleFor(world.stdout, world.env));
    const body = {
      limit: args.tail,
      follow: args.follow === true,
      ...(args.scaleSet !== undefined && { scale_set: args.scaleSet }),
      ...(args.provider !== undefined && { provider: args.provider }),
      ...(args.runner !== undefined && { runner: args.runner }),
    };
    const answers = stream<import('../control/answers.js').EventsAnswer>({
      socket: socketPath(args.socket, world.env),
      method: 'ListEvents',
      body,
      signal: world.signal,
    });
    try {
      for await (const { events = [] } of answers) for (const event of events) world.stdout.write(`${line(event)}\n`);
    } catch (error) {
      // Following ends when the reader has seen enough, and that is no failure.
      if (!(args.follow && world.signal.reason instanceof StopRequest)) throw error;
    }
    return EXIT.done;
  },
};
