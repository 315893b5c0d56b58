import { errorCodeOf, messageOf } from '@rungar/model';
import yargs, { type Argv } from 'yargs';
import { buildInfo } from './build-info.js';
import type { Command, World } from './command.js';
import { commands } from './commands/index.js';
import { EXIT, exitCodeFor, StopRequest } from './exit.js';

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs the command line.
 * @param args what stands after the program's name
 * @returns the exit code. It never throws: what goes wrong is one line on `world.stderr`.
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    return await dispatch(args, world);
  } catch (error) {
    if (error instanceof UsageError) {
      world.stderr.write(`Error: ${error.message}. See \`rungar ${helpFor(args)}--help\`.\n`);
      return EXIT.usage;
    }
    if (!(error instanceof StopRequest)) world.stderr.write(`Error: ${withHint(error)}\n`);
    return exitCodeFor(error);
  }
}

async function dispatch(args: readonly string[], world: World): Promise<number> {
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
    .scriptName('rungar')
    .usage('$0 <command>\n\nKeeps GitHub Actions runner scale sets supplied with runners.')
    .option('socket', { type: 'string', describe: "the daemon's socket", global: true, requiresArg: true })
    .version(buildInfo())
    .help()
    .alias('h', 'help')
    .strict()
    .recommendCommands()
    .wrap(Math.min(world.stdout.columns ?? 80, 100))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      throw error ?? new UsageError(lowerFirst(message.split('\n')[0] ?? ''));
    });
}

function declare(yargs: Argv, command: Command, choose: (run: () => Promise<number>) => void, world: World): Argv {
  return yargs.command(
    command.name,
    command.describe,
    (builder) => command.options(builder),
    (args) => choose(() => command.run(args, world)),
  );
}

/** The words before the first flag, to name the help that fits. */
function helpFor(args: readonly string[]): string {
  const first = commands.find((command) => command.name.split(' ')[0] === args[0]);
  return first ? `${args[0]} ` : '';
}

function withHint(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  const message = messageOf(error).replace(/\.$/, '');
  if (!hint && errorCodeOf(error) === 'internal' && error instanceof TypeError)
    return `${message} (this is a fault of rungar's own)`;
  return hint ? `${message}: ${hint}` : message;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
