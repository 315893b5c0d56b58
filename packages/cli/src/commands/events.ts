import type { Command } from '../command.js';
import { checkTail, usageError } from '../usage.js';

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
      .option('since', {
        type: 'string',
        describe: 'only from then on: 90m, 10:30, 2027-02-03, 2027-02-03 10:30, RFC 3339',
        requiresArg: true,
      })
      .option('scale-set', { type: 'string', describe: 'only of this scale set', requiresArg: true })
      .option('provider', { type: 'string', describe: 'only of this provider and its runners', requiresArg: true })
      .option('runner', { type: 'string', describe: 'only of this runner', requiresArg: true })
      .option('stats', { type: 'boolean', describe: 'how long creating, booting and waiting took instead' })
      .option('timeline', { type: 'boolean', describe: "with --runner: that runner's life, step by step" })
      .option('json', { type: 'boolean', describe: 'one JSON object per line; of --stats and --timeline a document' })
      .check(({ tail, stats, timeline, follow, runner }) => {
        checkTail(tail);
        if ([stats, timeline, follow].filter(Boolean).length > 1) {
          throw usageError('--follow, --stats and --timeline do not go together');
        }
        if (timeline && !runner) throw usageError('--timeline is of one runner: name it with --runner');
        return true;
      }),
  async run(args, world) {
    const [{ printEvents, printFollowed, printStats, printTimeline }, { parseSince }, { textOf }] = await Promise.all([
      import('../events/show.js'),
      import('../events/since.js'),
      import('./arguments.js'),
    ]);
    const since = args.since === undefined ? undefined : parseSince(String(args.since), world.clock.wallNow());
    if (args.since !== undefined && since === undefined) {
      throw usageError(
        `--since takes 90m, 10:30, 2027-02-03, 2027-02-03 10:30 or RFC 3339, not "${String(args.since)}"`,
      );
    }
    const shown = {
      socket: args.socket,
      json: args.json === true,
      limit: Number(args.tail),
      filters: {
        ...textOf('scale_set', args.scaleSet),
        ...textOf('provider', args.provider),
        ...textOf('runner', args.runner),
      },
      ...(since !== undefined && { since: new Date(since).toISOString() }),
    };
    if (args.stats === true) return printStats(shown, world);
    if (args.timeline === true) return printTimeline(String(args.runner), shown, world);
    return args.follow === true ? printFollowed(shown, world) : printEvents(shown, world);
  },
};
