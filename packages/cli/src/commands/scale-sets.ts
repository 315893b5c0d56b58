import type { Command } from '../command.js';
import { nameFlag, oneNameOrAll, textOf } from './arguments.js';
import { keepFlags, wishOf } from './keep-flags.js';
import { documentFlags, jsonFlag, listFlags } from './output-flags.js';

const NAME = 'the scale set';

const list: Command = {
  name: 'ls',
  aliases: ['list'],
  describe: 'List the scale sets, and what GitHub has of each',
  options: listFlags,
  async run(args, world) {
    const [{ showScaleSets }, { openSession }] = await Promise.all([
      import('../fleet/scale-sets.js'),
      import('../control/session.js'),
    ]);
    return showScaleSets(args, openSession(args.socket, world));
  },
};

const inspect: Command = {
  name: 'inspect <name>',
  describe: 'Show all there is to know of one scale set',
  options: (yargs) =>
    documentFlags(
      nameFlag(yargs, NAME).option('group', {
        type: 'string',
        requiresArg: true,
        describe: 'the runner group to look in on GitHub; by default the configured one, else Default',
      }),
    ),
  async run(args, world) {
    const [{ inspectScaleSet }, { openSession }] = await Promise.all([
      import('../fleet/scale-sets.js'),
      import('../control/session.js'),
    ]);
    const named = { name: String(args.name), ...textOf('group', args.group) };
    return inspectScaleSet(named, args, openSession(args.socket, world));
  },
};

const pause: Command = {
  name: 'pause [name]',
  describe: 'Take no more jobs for a scale set; those running go on',
  options: (yargs) =>
    keepFlags(jsonFlag(oneNameOrAll(yargs, NAME))).option('wait', {
      type: 'boolean',
      default: false,
      describe: 'wait until its last runner has gone',
    }),
  run: (args, world) => change('pause', args, world),
};

const resume: Command = {
  name: 'resume [name]',
  describe: 'Take jobs for a scale set again',
  options: (yargs) => jsonFlag(oneNameOrAll(yargs, NAME)),
  run: (args, world) => change('resume', args, world),
};

const change = async (
  to: 'pause' | 'resume',
  ...[args, world]: Parameters<NonNullable<Command['run']>>
): Promise<number> => {
  const [{ changeState, STATE_CHANGES }, { openSession }] = await Promise.all([
    import('../fleet/change-state.js'),
    import('../control/session.js'),
  ]);
  const names = args.all === true ? 'all' : [String(args.name)];
  const wish = wishOf(args, world.clock.wallNow());
  const session = openSession(args.socket, world);
  return changeState(STATE_CHANGES[to], { names, wait: args.wait === true, wish }, args, session);
};

const remove: Command = {
  name: 'rm <name>',
  aliases: ['remove', 'delete'],
  describe: 'Remove what is left of a scale set that is not configured any more',
  options: (yargs) =>
    jsonFlag(nameFlag(yargs, NAME))
      .option('group', {
        type: 'string',
        requiresArg: true,
        default: 'Default',
        describe: 'its runner group on GitHub',
      })
      .option('wait', { type: 'boolean', default: false, describe: 'wait for busy runners, then finish' })
      .option('dry-run', { type: 'boolean', default: false, describe: 'only show what would be removed' }),
  async run(args, world) {
    const [{ removeScaleSet, previewRemoval }, { openSession }] = await Promise.all([
      import('../fleet/remove-scale-set.js'),
      import('../control/session.js'),
    ]);
    const session = openSession(args.socket, world);
    const which = { name: String(args.name), ...textOf('group', args.group) };
    if (args.dryRun === true) return previewRemoval(which, args, session);
    return removeScaleSet(which, args.wait === true, args, session);
  },
};

export const scaleSetsCommand: Command = {
  name: 'scale-sets',
  aliases: ['scale-set'],
  describe: 'List, inspect, pause, resume or remove scale sets',
  subcommands: [list, inspect, pause, resume, remove],
};
