import yargs, { type Argv } from 'yargs';
import { version } from './build-info.js';
import { type Args, type Command, flagsOf, type World } from './command.js';
import { commands } from './commands/index.js';
import { EXIT, UsageError } from './exit.js';
import { ABOUT, PROGRAM } from './program-help.js';

/**
 * Reads the command line and does what it says.
 * @returns the exit code
 * @throws UsageError for a bad command line; else what the command throws
 */
export async function dispatch(args: readonly string[], world: World): Promise<number> {
  let chosen: (() => Promise<number>) | undefined;
  const parser = commands.reduce(
    (yargs, command) => declare(yargs, command, (run) => (chosen = run), world),
    program(world),
  );

  let failure: Error | undefined;
  let output = '';
  await parser.parse([...args], {}, (error, _argv, text) => {
    failure = error ?? undefined;
    output = text;
  });
  if (failure) throw failure;
  if (output) world.stdout.write(`${output}\n`);
  if (chosen) return chosen();
  if (!output) world.stdout.write(`${await parser.getHelp()}\n`);
  return EXIT.done;
}

function program(world: World): Argv {
  return yargs()
    .scriptName(PROGRAM)
    .usage(`$0 <command>\n\n${ABOUT}`)
    .parserConfiguration({
      'boolean-negation': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version('version', 'show the version', version())
    .help('help', 'show the help')
    .alias('h', 'help')
    .strict()
    .wrap(Math.min(world.stdout.columns ?? 80, 100))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      // What the parser itself refuses comes with an error of its own kind.
      if (error && error.name !== 'YError') throw error;
      throw new UsageError(message ?? error?.message ?? 'a command line that cannot be read');
    });
}

/** Of two values for one flag neither is taken. */
function refuseRepeated(command: Command, args: Args): void {
  for (const [name, { array }] of Object.entries(flagsOf(command))) {
    if (array !== true && Array.isArray(args[name]) && command.repeated?.includes(name) !== true)
      throw new UsageError(`--${name} more than once`);
  }
}

function declare(parser: Argv, command: Command, choose: (run: () => Promise<number>) => void, world: World): Argv {
  return parser.command(
    command.name,
    command.describe,
    (builder) => {
      for (const [name, options] of Object.entries(command.positionals ?? {})) builder.positional(name, options);
      if (command.usage !== undefined) builder.usage(command.usage);
      return builder.options(flagsOf(command));
    },
    (args) => {
      refuseRepeated(command, args);
      choose(() => command.run(args, world));
    },
  );
}
