import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { usageError } from '../usage.js';
import { durationOf, textOf } from './arguments.js';
import { jsonFlag, listFlags } from './output-flags.js';

/** Which runners are meant. */
function filterFlags(yargs: Argv): Argv {
  return yargs
    .option('scale-set', { type: 'string', requiresArg: true, describe: 'only of this scale set' })
    .option('provider', { type: 'string', requiresArg: true, describe: 'only on this provider' });
}

const list: Command = {
  name: 'ls',
  aliases: ['list'],
  describe: 'List the runners',
  options: (yargs) => listFlags(filterFlags(yargs)),
  async run(args, world) {
    const [{ showRunners }, { openSession }] = await Promise.all([
      import('../fleet/runners.js'),
      import('../control/session.js'),
    ]);
    const filter = { ...textOf('scaleSet', args.scaleSet), ...textOf('provider', args.provider) };
    return showRunners(filter, args, openSession(args.socket, world));
  },
};

const FILTERS = ['scale-set', 'provider', 'state', 'older-than'];

const remove: Command = {
  name: 'rm [names..]',
  aliases: ['remove', 'delete'],
  describe: 'Remove runners that have no job, by name or by filter',
  options: (yargs) =>
    jsonFlag(filterFlags(yargs.positional('names', { type: 'string', array: true, describe: 'the runners' })))
      .option('state', { choices: ['starting', 'idle'], requiresArg: true, describe: 'only in this state' })
      .option('older-than', { type: 'string', requiresArg: true, describe: 'only created longer ago: 90m, 24h' })
      .option('yes', {
        alias: 'y',
        type: 'boolean',
        default: false,
        describe: 'by filter: do not ask whether to go on',
      })
      .option('dry-run', { type: 'boolean', default: false, describe: 'only show what would be removed' })
      .check((args) => {
        const named = Array.isArray(args.names) && args.names.length > 0;
        const filtered = FILTERS.some((flag) => args[flag] !== undefined);
        if (!named && !filtered) {
          throw usageError(`give names, or say which by ${FILTERS.map((flag) => `--${flag}`).join(', ')}`);
        }
        if (named && filtered) throw usageError('give names or filters, not both');
        return true;
      }),
  async run(args, world) {
    const olderThanMs = durationOf('older-than', args.olderThan);
    const [{ removeMatching, removeNamed }, { openSession }] = await Promise.all([
      import('../fleet/remove-runners.js'),
      import('../control/session.js'),
    ]);
    const session = openSession(args.socket, world);
    const options = { dryRun: args.dryRun === true, yes: args.yes === true };
    const names = Array.isArray(args.names) ? [...new Set(args.names.map(String))] : [];
    if (names.length > 0) return removeNamed(names, options, args, session);
    const filter = {
      ...textOf('scaleSet', args.scaleSet),
      ...textOf('provider', args.provider),
      ...textOf('state', args.state),
      ...(olderThanMs !== undefined && { olderThanMs }),
    };
    return removeMatching(filter, options, args, session);
  },
};

export const runnersCommand: Command = {
  name: 'runners',
  aliases: ['runner'],
  describe: 'List or remove runners',
  subcommands: [list, remove],
};
