import type { Argv } from 'yargs';
import { buildInfo } from './build-info.js';
import type { Command, World } from './command.js';
import { commands } from './commands/index.js';
import { COMPLETE } from './completion/scripts.js';
import { EXIT, ExitError } from './exit.js';
import { calledCommands, calledName, usageError, usageMessage } from './usage.js';

/**
 * Runs a command, or its help.
 * @param args what stands after the program's name
 * @returns the exit code
 * @throws ExitError 64, which names the help that fits, when the command line says something wrong; and whatever the
 * command does
 */
export async function runCommand(args: readonly string[], world: World): Promise<number> {
  try {
    if (args[0] === COMPLETE) return await complete(args.slice(1), world);
    return await dispatch(args[0] === 'help' || isGroupAlone(args) ? [...withoutHelp(args), '--help'] : args, world);
  } catch (error) {
    throw error instanceof ExitError && error.exitCode === EXIT.usage ? withHelp(error, args) : error;
  }
}

function withHelp({ exitCode, message, hint }: ExitError, args: readonly string[]): ExitError {
  const help = `See \`${['rungar', calledName(args, commands), '--help'].filter(Boolean).join(' ')}\``;
  return new ExitError(exitCode, message, hint ?? help);
}

/** Not one of the commands, whose parser would take the words to complete for its own. */
async function complete(words: readonly string[], world: World): Promise<number> {
  const { candidatesFor } = await import('./completion/candidates.js');
  const found = await candidatesFor(words, commands, world);
  world.stdout.write(found.map(({ word, describe }) => `${word}\t${describe}\n`).join(''));
  return EXIT.done;
}

/** A command that only others stand behind is asked for its help. */
function isGroupAlone(args: readonly string[]): boolean {
  const path = calledCommands(args, commands);
  const last = path.at(-1);
  return last !== undefined && last.run === undefined && args.length === path.length;
}

function withoutHelp(args: readonly string[]): readonly string[] {
  return args[0] === 'help' ? args.slice(1) : args;
}

async function dispatch(args: readonly string[], world: World): Promise<number> {
  let chosen: (() => Promise<number>) | undefined;
  const choose: Choose = (run) => (chosen = run);
  const parser = commands.reduce(
    (yargs, command) => declare(yargs, command, { args, choose, world }),
    await program(args, world),
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

async function program(args: readonly string[], world: World): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  const parser = yargs();
  return (
    parser
      .scriptName('rungar')
      // Else `--no-headers` would be a flag of no name.
      .parserConfiguration({ 'boolean-negation': false })
      // Messages are recognised by their words, and everything else is in English too.
      .detectLocale(false)
      .usage('$0 <command>\n\nKeeps GitHub Actions runner scale sets supplied with runners.')
      .option('socket', { type: 'string', describe: "the daemon's socket", global: true, requiresArg: true })
      .version(buildInfo())
      .alias('v', 'version')
      .help()
      .alias('h', 'help')
      .strict()
      .check(refuseRepeated)
      .check(refuseEmptyName)
      .wrap(Math.min(world.stdout.columns ?? 80, 100))
      .exitProcess(false)
      .showHelpOnFail(false)
      .fail((complaint, error) => {
        if (error && error.name !== 'YError') throw error;
        throw usageError(usageMessage(complaint, { args, commands, flags: flagsOf(parser) }));
      })
  );
}

type Choose = (run: () => Promise<number>) => void;

interface Call {
  readonly args: readonly string[];
  readonly choose: Choose;
  readonly world: World;
}

function declare(yargs: Argv, command: Command, call: Call): Argv {
  const { name, aliases = [], describe, subcommands = [], options = (all) => all } = command;
  const called = subcommands.find((one) => calledCommands(call.args, commands).includes(one));
  return yargs.command(
    [name, ...aliases],
    describe,
    (builder) =>
      called === undefined
        ? subcommands.reduce((parser, each) => declare(parser, each, call), withOutput(options(builder)))
        : // The flags of the command it stands behind are none of its own.
          declare(builder, called, call),
    (args) => call.choose(async () => (await command.run?.(asJson(args), call.world)) ?? EXIT.usage),
  );
}

/** `-o json` is `--json` everywhere, also where there is no other form to choose. */
function withOutput(yargs: Argv): Argv {
  const { key } = (yargs as Argv & { getOptions(): { readonly key: Readonly<Record<string, unknown>> } }).getOptions();
  if (!('json' in key) || 'output' in key) return yargs;
  return yargs.option('output', { alias: 'o', choices: ['json'], hidden: true, requiresArg: true });
}

const asJson = <Args extends Readonly<Record<string, unknown>>>(args: Args): Args =>
  args.output === 'json' && args.json !== true ? { ...args, json: true } : args;

/** Arguments without a flag that take more than one value: `plan [scale-sets..]`, in both spellings of yargs. */
const LISTS: ReadonlySet<string> = new Set(commands.flatMap(listsOf));

function listsOf({ name, subcommands = [] }: Command): string[] {
  const own = [...name.matchAll(/[[<]([\w-]+)\.\.[\]>]/g)].flatMap(([, list = '']) => [
    list,
    list.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ]);
  return [...own, ...subcommands.flatMap(listsOf)];
}

/** No flag of ours takes more than one value, and none may silently win over another. */
function refuseRepeated(args: Readonly<Record<string, unknown>>): true {
  const repeated = Object.keys(args).find((name) => name.length > 1 && !LISTS.has(name) && Array.isArray(args[name]));
  if (repeated !== undefined) throw usageError(`--${repeated} is given more than once`);
  return true;
}

/** Nothing has an empty name: a script whose variable is unset is told so, rather than that nothing was found. */
function refuseEmptyName(args: Readonly<Record<string, unknown>>): true {
  const empty = ['name', ...LISTS].find((name) => [args[name]].flat().includes(''));
  if (empty !== undefined) throw usageError('a name is empty');
  return true;
}

/** The flags of the command that is being read; yargs gives them, and its types do not say so. */
function flagsOf(yargs: Argv & { getOptions?(): { readonly key: Readonly<Record<string, unknown>> } }): string[] {
  return Object.keys(yargs.getOptions?.().key ?? {});
}
