import { nearest } from '@rungar/model';
import { EXIT, ExitError } from './exit.js';

/** A command as far as its names go. */
export interface NamedCommand {
  /** As yargs reads it, with its arguments: `pause [name]`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly subcommands?: readonly NamedCommand[];
}

/** What is known of the command line that was refused. */
export interface Refused {
  /** What stands after the program's name. */
  readonly args: readonly string[];
  readonly commands: readonly NamedCommand[];
  /** The flags that could have been given, without hyphens. */
  readonly flags: readonly string[];
}

/** An error of wrong usage. The help that fits is named behind its message. */
export function usageError(message: string): ExitError {
  return new ExitError(EXIT.usage, message);
}

/** The commands that `args` call, from the outermost in: `scale-sets`, then `pause`. */
export function calledCommands<C extends NamedCommand & { readonly subcommands?: readonly C[] }>(
  args: readonly string[],
  commands: readonly C[],
): readonly C[] {
  const path: C[] = [];
  let known: readonly C[] = commands;
  for (const word of wordsOf(args)) {
    const command = known.find((one) => firstWord(one.name) === word || one.aliases?.includes(word));
    // What stands before the first command is the value of a flag; what follows a command is its argument.
    if (command === undefined && path.length > 0) break;
    if (command === undefined) continue;
    path.push(command);
    known = command.subcommands ?? [];
  }
  return path;
}

/** What is called, as a user writes it: `scale-sets pause`. */
export function calledName(args: readonly string[], commands: readonly NamedCommand[]): string {
  return calledCommands(args, commands)
    .map(({ name }) => firstWord(name))
    .join(' ');
}

/** The first word of a command: what it is called by. */
export function firstWord(command: string): string {
  return command.split(' ')[0] ?? '';
}

/** What is neither a flag nor the value of the one flag that may stand before a command. */
function wordsOf(args: readonly string[]): string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--socket');
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
function unknownWord(names: readonly string[], { args, commands, flags }: Refused): string {
  const word = names.find((name) => args.includes(name));
  if (word === undefined) {
    const name = names.find((one) => args.some((arg) => arg.startsWith(flag(one)))) ?? names[0] ?? '';
    return `unknown flag ${flag(name)}${didYouMean(name, flags, flag)}`;
  }
  const path = calledCommands(args, commands);
  const group = path.at(-1);
  const known = group === undefined ? commands : takesArguments(group) ? [] : (group.subcommands ?? []);
  if (known.length === 0) return `unexpected argument "${word}"`;
  const candidates = known.map(({ name }) => firstWord(name));
  const of = path.length === 0 ? '' : ` of ${calledName(args, commands)}`;
  return `unknown command "${word}"${of}${didYouMean(word, candidates, String)}`;
}

function takesArguments({ name }: NamedCommand): boolean {
  return name.includes(' ');
}

function missingArguments({ args, commands }: Refused): string {
  const [, ...wanted] = (calledCommands(args, commands).at(-1)?.name ?? '').split(' ');
  const name = calledName(args, commands) || 'rungar';
  return `${name} needs ${wanted.filter((argument) => argument.startsWith('<')).join(' ')}`;
}

function wrongChoice(name: string, given: string, choices: string, { args, commands }: Refused): string {
  const words = choices.split(', ').map((choice) => choice.replaceAll('"', ''));
  const command = calledCommands(args, commands).at(-1)?.name ?? '';
  const subject = command.includes(`<${name}>`) || command.includes(`[${name}]`) ? `<${name}>` : flag(name);
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

/** The most events that the control API can be asked for. */
const MOST_EVENTS = 2 ** 31 - 1;

/** @throws ExitError 64 unless the value of `--tail` is a number of events */
export function checkTail(tail: unknown): void {
  if (Number.isInteger(tail) && (tail as number) >= 0 && (tail as number) <= MOST_EVENTS) return;
  throw usageError(`--tail takes a whole number from 0 to ${MOST_EVENTS}`);
}
