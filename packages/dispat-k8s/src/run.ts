import { messageOf } from '@rungar/model';
import type { Command, World } from './command.js';
import { commands } from './commands/index.js';
import { EXIT, exitCodeFor, StopRequest, UsageError } from './exit.js';
import { type InputProblem, isInputError, problemLine } from './problems.js';
import { PROGRAM, programHelp } from './program-help.js';
import { usageFault } from './usage.js';

/**
 * Runs the command line.
 * @param args what stands after the program's name
 * @returns the exit code. It never throws: what goes wrong is told on `world.stderr`, with `--format json` as one
 * document.
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    // The help of the whole program is asked for often, and needs no parser.
    if (args.length === 0 || (args.length === 1 && (args[0] === '--help' || args[0] === '-h'))) {
      world.stdout.write(programHelp(commands));
      return EXIT.done;
    }
    const { dispatch } = await import('./dispatch.js');
    return await dispatch(args, world);
  } catch (error) {
    if (error instanceof StopRequest) return exitCodeFor(error);
    const problems = problemsOf(error, args);
    if (wantsJson(args)) world.stderr.write(`${JSON.stringify({ problems }, null, 2)}\n`);
    else world.stderr.write(textOf(error, problems));
    return error instanceof UsageError ? EXIT.invalid : exitCodeFor(error);
  }
}

function commandOf(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ')[0] === args[0]);
}

/** Known before the command line is: what is wrong with it is told in the same format. */
function wantsJson(args: readonly string[]): boolean {
  if (args[0] === 'follow' && args.includes('--json')) return true;
  return args.some((arg, index) => arg === '--format=json' || (arg === '--format' && args[index + 1] === 'json'));
}

function problemsOf(error: unknown, args: readonly string[]): readonly InputProblem[] {
  if (isInputError(error)) return error.problems;
  const command = commandOf(args);
  const see = `see \`${PROGRAM} ${command ? `${args[0]} ` : ''}--help\``;
  if (error instanceof UsageError) {
    const { found, question } = usageFault(error.message, args, command, commands);
    const fix = question ?? see;
    return [{ code: 'USAGE', severity: 'error', at: 'command line', found, allowed: 'what the help lists', fix }];
  }
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : see;
  return [
    {
      code: 'USAGE',
      severity: 'error',
      at: args[0] ?? PROGRAM,
      found: messageOf(error),
      allowed: 'a run without it',
      fix: hint,
    },
  ];
}

function textOf(error: unknown, problems: readonly InputProblem[]): string {
  if (isInputError(error)) {
    return problems.map((problem) => `${WORDS[problem.severity]}: ${problemLine(problem)}\n`).join('');
  }
  const [problem] = problems;
  if (error instanceof UsageError && problem !== undefined) return `Error: ${problem.found}: ${problem.fix}\n`;
  const message = messageOf(error).replace(/\.$/, '');
  if (error instanceof TypeError || problem === undefined)
    return `Error: ${message} (this is a fault of ${PROGRAM}'s own)\n`;
  return `Error: ${message}: ${problem.fix}\n`;
}

const WORDS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;
