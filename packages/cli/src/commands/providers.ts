import type { Command } from '../command.js';
import { nameFlag, oneNameOrAll } from './arguments.js';
import { keepFlags, wishOf } from './keep-flags.js';
import { documentFlags, jsonFlag, listFlags } from './output-flags.js';

const NAME = 'the provider';

const list: Command = {
  name: 'ls',
  aliases: ['list'],
  describe: 'List the providers, and what is skipped there',
  options: listFlags,
  async run(args, world) {
    const [{ showProviders }, { openSession }] = await Promise.all([
      import('../fleet/providers.js'),
      import('../control/session.js'),
    ]);
    return showProviders(args, openSession(args.socket, world));
  },
};

const inspect: Command = {
  name: 'inspect <name>',
  describe: 'Show all there is to know of one provider',
  options: (yargs) => documentFlags(nameFlag(yargs, NAME)),
  async run(args, world) {
    const [{ inspectProvider }, { openSession }] = await Promise.all([
      import('../fleet/providers.js'),
      import('../control/session.js'),
    ]);
    return inspectProvider(String(args.name), args, openSession(args.socket, world));
  },
};

/** A command that puts a provider into a state. */
function changing(word: string, describe: string, to: 'disable' | 'enable', wait: boolean): Command {
  return {
    name: `${word} [name]`,
    describe,
    options: (yargs) => {
      const flags = jsonFlag(oneNameOrAll(yargs, NAME));
      return to === 'disable' ? keepFlags(flags) : flags;
    },
    async run(args, world) {
      const [{ changeState, STATE_CHANGES }, { openSession }] = await Promise.all([
        import('../fleet/change-state.js'),
        import('../control/session.js'),
      ]);
      const names = args.all === true ? 'all' : [String(args.name)];
      const wish = wishOf(args, world.clock.wallNow());
      return changeState(STATE_CHANGES[to], { names, wait, wish }, args, openSession(args.socket, world));
    },
  };
}

export const providersCommand: Command = {
  name: 'providers',
  aliases: ['provider'],
  describe: 'List, inspect, disable, drain or enable providers',
  subcommands: [
    list,
    inspect,
    changing('disable', 'Create no more runners there; those there go on', 'disable', false),
    changing(
      'drain',
      'Disable it, and wait until its last runner has gone; idle ones stay until they get a job',
      'disable',
      true,
    ),
    changing('enable', 'Create runners there again', 'enable', false),
  ],
};
