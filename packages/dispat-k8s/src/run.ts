import { messageOf, nearest } from '@rungar/model';
import yargs, { type Argv, type Options } from 'yargs';
import { version } from './build-info.js';
import { type Command, SHARED_FLAGS, type World } from './command.js';
import { commands } from './commands/index.js';
import { EXIT, exitCodeFor, StopRequest } from './exit.js';
import { type InputProblem, isInputError, problemLine } from './problems.js';

const NAME = 'dispat-worker-manifest';

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs the command line.
 * @param args what stands after the program's name
 * @returns the exit code. It never throws: what goes wrong is told on `world.stderr`, with `--format json` as one
 * document.
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    return await dispatch(args, world);
  } catch (error) {
    if (error instanceof StopRequest) return exitCodeFor(error);
    const problems = problemsOf(error, args);
    if (wantsJson(args)) world.stderr.write(`${JSON.stringify({ problems }, null, 2)}\n`);
    else world.stderr.write(textOf(error, problems, args));
    return error instanceof UsageError ? EXIT.invalid : exitCodeFor(error);
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
    .scriptName(NAME)
    .usage('$0 <command>\n\nMakes, checks, sizes and starts pools of dispat workers on Kubernetes.')
    .parserConfiguration({
      'boolean-negation': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version(version())
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

function declare(parser: Argv, command: Command, choose: (run: () => Promise<number>) => void, world: World): Argv {
  return parser.command(
    command.name,
    command.describe,
    (builder) => {
      for (const [name, options] of Object.entries(command.positionals ?? {})) builder.positional(name, options);
      if (command.usage !== undefined) builder.usage(command.usage);
      return builder.options(flagsOf(command));
    },
    (args) => choose(() => command.run(args, world)),
  );
}

function flagsOf({ flags, formats }: Command): Record<string, Options> {
  const format: Options = {
    choices: formats ?? [],
    ...(formats?.[0] !== undefined && { default: formats[0] }),
    requiresArg: true,
    describe: 'how to write the result',
  };
  return { ...SHARED_FLAGS, ...(formats && { format }), ...flags };
}

function commandOf(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ')[0] === args[0]);
}

/** Known before the command line is: what is wrong with it is told in the same format. */
function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, index) => arg === '--format=json' || (arg === '--format' && args[index + 1] === 'json'));
}

function problemsOf(error: unknown, args: readonly string[]): readonly InputProblem[] {
  if (isInputError(error)) return error.problems;
  const command = commandOf(args);
  const see = `see \`${NAME} ${command ? `${args[0]} ` : ''}--help\``;
  if (error instanceof UsageError) {
    const fix = didYouMean(error.message, command) ?? see;
    return [
      {
        code: 'USAGE',
        severity: 'error',
        at: 'command line',
        found: error.message,
        allowed: 'what the help lists',
        fix,
      },
    ];
  }
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : see;
  return [
    {
      code: 'USAGE',
      severity: 'error',
      at: args[0] ?? NAME,
      found: messageOf(error),
      allowed: 'a run without it',
      fix: hint,
    },
  ];
}

/** The question after a flag nobody knows, when one that is known is near. */
function didYouMean(message: string, command: Command | undefined): string | undefined {
  const unknown = /^unknown arguments?: (.*)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined || command === undefined) return undefined;
  const near = nearest(unknown, Object.keys(flagsOf(command)));
  return near === undefined ? undefined : `did you mean --${near}?`;
}

function textOf(error: unknown, problems: readonly InputProblem[], args: readonly string[]): string {
  if (isInputError(error)) {
    return problems.map((problem) => `${WORDS[problem.severity]}: ${problemLine(problem)}\n`).join('');
  }
  const [problem] = problems;
  const message = messageOf(error).replace(/\.$/, '');
  if (error instanceof TypeError || problem === undefined)
    return `Error: ${message} (this is a fault of ${NAME}'s own)\n`;
  const see = error instanceof UsageError && !problem.fix.startsWith('see') && commandOf(args) === undefined;
  return `Error: ${message}${see ? '' : `: ${problem.fix}`}\n`;
}

const WORDS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
