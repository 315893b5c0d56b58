import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { DEFAULT_CONFIG } from '../default-config.js';
import { EXIT, ExitError } from '../exit.js';
import { configInitCommand } from './config-init.js';
import { configSchemaCommand } from './config-schema.js';
import { configOption } from './validate.js';

/** What each sub-command takes; without one the configuration is printed. */
const ACTIONS = {
  print: { files: 0, flags: ['effective', 'json', 'show-values'] },
  diff: { files: 2, flags: ['json'] },
  migrate: { files: 0, flags: ['write'] },
} as const satisfies Record<string, { files: number; flags: readonly string[] }>;

type Action = keyof typeof ACTIONS;

/** What can stand behind `config`, sub-commands with flags of their own too. */
const WORDS = ['diff', 'init', 'migrate', 'schema'] as const;

const FLAGS = ['effective', 'json', 'show-values', 'write'] as const;

export const configCommand: Command = {
  subcommands: [configSchemaCommand, configInitCommand],
  name: 'config [action] [old] [new]',
  describe: 'Print a configuration as the daemon takes it, compare two, or migrate one',
  options: (yargs): Argv =>
    configOption(yargs)
      .usage(
        [
          '$0 config [-f FILE] [--effective] [--json] [--show-values]',
          '$0 config diff OLD NEW [--json]',
          '$0 config migrate [-f FILE] [-w]',
          '',
          'Prints a configuration as the daemon takes it, tells what changes from one',
          'to another, or rewrites one for the newest version. Asks nobody.',
        ].join('\n'),
      )
      .positional('action', { choices: [...WORDS], describe: 'what to do instead of printing' })
      .positional('old', { type: 'string', describe: 'the configuration before' })
      .positional('new', { type: 'string', describe: 'the configuration after' })
      .option('effective', {
        type: 'boolean',
        default: false,
        describe: 'add what each runner is in the end, and its revision',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print a JSON document' })
      .option('show-values', {
        type: 'boolean',
        default: false,
        describe: 'show values that look like credentials; secrets stay redacted',
      })
      .option('write', { alias: 'w', type: 'boolean', default: false, describe: 'replace the file in place' })
      .check(checkUsage),
  async run(args, world) {
    const path = String(args.config);
    switch (actionOf(args)) {
      case 'print': {
        const { printConfiguration } = await import('./config-print.js');
        const { effective, json, showValues } = args;
        return printConfiguration(path, { effective, json, showValues }, world);
      }
      case 'diff': {
        const { compareConfigurations } = await import('./config-diff.js');
        return compareConfigurations(String(args.old), String(args.new), args.json === true ? 'json' : 'text', world);
      }
      case 'migrate': {
        const { migrateConfiguration } = await import('./config-migrate.js');
        return migrateConfiguration(path, { write: args.write === true }, world);
      }
    }
  },
};

function actionOf(args: Record<string, unknown>): Action {
  return (args.action as Action | undefined) ?? 'print';
}

function checkUsage(args: Record<string, unknown>): true {
  const action = actionOf(args);
  const { files, flags } = ACTIONS[action];
  const name = action === 'print' ? 'config' : `config ${action}`;
  const given = [args.old, args.new].filter((file) => file !== undefined).length;
  if (given < files) throw usage(`${name} needs OLD and NEW, two configuration files`);
  if (given > files) throw usage(`${name} takes no "${String(args.old)}"`);
  if (files > 0 && [args.old, args.new].includes('')) throw usage(`${name} needs the names of two files`);
  if (files > 0 && args.config !== DEFAULT_CONFIG) throw usage(`${name} takes no --config`);
  const extra = FLAGS.find((flag) => args[flag] === true && !(flags as readonly string[]).includes(flag));
  if (extra !== undefined) throw usage(`${name} takes no --${extra}`);
  return true;
}

function usage(message: string): ExitError {
  return new ExitError(EXIT.usage, message, 'see `rungar config --help`');
}
