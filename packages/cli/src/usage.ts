import { nearest } from '@rungar/model';
import { EXIT, ExitError } from './exit.js';

/** What is known of the command line that was refused. */
export interface Refused {
  /** What stands after the program's name. */
  readonly args: readonly string[];
  /** The commands there are, each with its arguments: `scale-sets <change> <name>`. */
  readonly commands: readonly string[];
  /** The flags that could have been given, without hyphens. */
  readonly flags: readonly string[];
}

/** An error of wrong usage. The help that fits is named behind its message. */
export function usageError(message: string): ExitError {
  return new ExitError(EXIT.usage, message);
}

/** The command that `args` call, with its arguments. */
export function calledCommand({ args, commands }: Omit<Refused, 'flags'>): string | undefined {
  return commands.find((command) => args.includes(firstWord(command)));
}

/** The first word of a command: what it is called by. */
export function firstWord(command: string): string {
  return command.split(' ')[0] ?? '';
}

/**
 * Says in words of our own what yargs refuses: what was given, what is wanted, and the nearest known word.
 * @param complaint the message of yargs, in English
 */
export function usageMessage(complaint: string, refused: Refused): string {
  const [first = '', ...more] = complaint.split('\n').map((line) => line.trim());
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/.exec(first)?.[1];
  if (unknown !== undefined) return unknownWord(unknown.split(', '), refused);
  const valueless = /^Not enough arguments following: (.*)$/.exec(first)?.[1];
  if (valueless !== undefined) return `${flag(valueless)} needs a value`;
  if (first.startsWith('Not enough non-option arguments')) return missingArguments(refused);
  const choice = /^Argument: (.*), Given: (.*), Choices: (.*)$/.exec(more[0] ?? '');
  if (choice) return wrongChoice(choice[1] ?? '', choice[2] ?? '', choice[3] ?? '', refused);
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/\.$/, '');
}

/** yargs names a flag in each of its spellings; the one that was typed is meant. */
function unknownWord(names: readonly string[], refused: Refused): string {
  const { args, commands, flags } = refused;
  const word = names.find((name) => args.includes(name));
  if (word === undefined) {
    const name = names.find((one) => args.some((arg) => arg.startsWith(flag(one)))) ?? names[0] ?? '';
    return `unknown flag ${flag(name)}${didYouMean(name, flags, flag)}`;
  }
  if (calledCommand(refused) !== undefined) return `unexpected argument "${word}"`;
  return `unknown command "${word}"${didYouMean(word, commands.map(firstWord), String)}`;
}

function missingArguments(refused: Refused): string {
  const [name = 'rungar', ...wanted] = (calledCommand(refused) ?? '').split(' ');
  return `${name} needs ${wanted.filter((argument) => argument.startsWith('<')).join(' ')}`;
}

function wrongChoice(name: string, given: string, choices: string, { flags, args }: Refused): string {
  const words = choices.split(', ').map((choice) => choice.replaceAll('"', ''));
  const subject = flags.includes(name) && args.some((arg) => arg.startsWith(`--${name}`)) ? flag(name) : `<${name}>`;
  const wanted = words.length === 1 ? words[0] : `one of ${words.join(', ')}`;
  return `${subject} must be ${wanted}, not ${given}${didYouMean(given.replaceAll('"', ''), words, String)}`;
}

function didYouMean(word: string, candidates: readonly string[], show: (word: string) => string): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` (did you mean ${show(near)}?)`;
}

function flag(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
