import { nearest } from '@rungar/model';
import { type Command, flagsOf } from './command.js';

/** What is wrong with a command line, in a person's words. */
export interface UsageFault {
  readonly found: string;
  /** The question after a flag or a command that is near to a known one. */
  readonly question?: string;
}

/**
 * Says what the parser says of a command line, telling commands, flags and other words apart, which it calls arguments
 * all alike.
 * @param message the parser's own
 * @param args the command line
 * @param command the one it names, if it names one
 */
export function usageFault(
  message: string,
  args: readonly string[],
  command: Command | undefined,
  commands: readonly Command[],
): UsageFault {
  const unknown = /^unknown arguments?: (.*)$/i.exec(message)?.[1]?.split(', ');
  if (unknown !== undefined) return unknownWords(unknown, args, command, commands);
  const lacking = /^not enough arguments following: (.*)$/i.exec(message)?.[1];
  if (lacking !== undefined) return { found: `${flagText(lacking)} without a value` };
  const [, name, given, choices] = /Argument: (.*), Given: (.*), Choices: (.*)/.exec(message) ?? [];
  if (name !== undefined) return { found: `${flagText(name)} ${given}; it takes ${choices}` };
  const [line = ''] = message.split('\n');
  return { found: line.charAt(0).toLowerCase() + line.slice(1).replace(/[.:]$/, '') };
}

function unknownWords(
  words: readonly string[],
  args: readonly string[],
  command: Command | undefined,
  commands: readonly Command[],
): UsageFault {
  const flags = words.filter((word) => isFlag(word, args));
  // The parser repeats a flag with hyphens in camel case.
  const others = words.filter((word) => !flags.includes(word) && args.includes(word));
  const [other] = others;
  if (command === undefined && other !== undefined) {
    const names = commands.map(({ name }) => name.split(' ')[0] ?? name);
    return asked(`unknown command ${other}`, nearest(other, names));
  }
  const [flag] = flags;
  if (flag === undefined) return { found: `${others.length > 1 ? 'words' : 'a word'} too many: ${others.join(', ')}` };
  const known = command === undefined ? [] : Object.keys(flagsOf(command));
  const near = flag.length > 1 ? nearest(flag, known) : undefined;
  return asked(
    `unknown ${flags.length > 1 ? 'flags' : 'flag'} ${flags.map(flagText).join(', ')}`,
    near === undefined ? undefined : flagText(near),
  );
}

function asked(found: string, near: string | undefined): UsageFault {
  return near === undefined ? { found } : { found, question: `did you mean ${near}?` };
}

function isFlag(word: string, args: readonly string[]): boolean {
  if (word.length === 1) return args.some((arg) => /^-[A-Za-z0-9]+/.test(arg) && arg.includes(word));
  return args.some((arg) => arg === `--${word}` || arg.startsWith(`--${word}=`));
}

function flagText(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
