import type { Command, World } from '../command.js';
import { CONDITIONS } from '../fleet/conditions.js';
import { calledCommands, calledName, firstWord } from '../usage.js';
import { declaredOf, type Flag } from './declared.js';
import { kindOfArgument, kindOfFlag, type NameKind, namesFromDaemon } from './names.js';

/** A word that may stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  /** Empty where there is nothing to say. */
  readonly describe: string;
}

/**
 * What may stand in place of the last word. Shells whose words end at an equals sign may give that as a word too.
 * @param words what stands after the program's name, up to the cursor
 */
export async function candidatesFor(
  words: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const path = calledCommands(before, commands);
  const command = path.at(-1);
  const { flags, positionals } = declaredOf(command);
  const name = calledName(before, commands);
  const ask = async (kind: NameKind | undefined): Promise<Candidate[]> =>
    kind === undefined ? [] : plain(await namesFromDaemon(kind, flagValue('socket', before), world));

  const found = async (): Promise<readonly Candidate[]> => {
    const flag = flagOf(before.at(-1), flags);
    if (flag?.takesValue) return flag.name === 'for' ? conditions(before) : valuesOf(flag);
    if (current.startsWith('-')) return unusedFlags(flags, before);
    const behind = command === undefined ? commands : (command.subcommands ?? []);
    const given = argumentsIn(before.slice(lastIndexOfCommand(before, path) + 1), flags);
    const positional = positionals[given.length] ?? positionals.findLast(({ isList }) => isList);
    const choices = plain(positional?.choices ?? []);
    const names = positional === undefined || choices.length > 0 ? [] : await ask(kindOfArgument(name, given));
    const unused = names.filter(({ word }) => !given.includes(word));
    return [...(given.length === 0 ? subcommands(behind) : []), ...choices, ...unused];
  };
  const valuesOf = async ({ name: flag, choices }: Flag): Promise<Candidate[]> =>
    choices.length > 0 ? plain(choices) : ask(kindOfFlag(flag));

  return (await found()).filter(({ word }) => word.startsWith(current));
}

function subcommands(commands: readonly Command[]): Candidate[] {
  return commands.map(({ name, describe }) => ({ word: firstWord(name), describe }));
}

function unusedFlags(flags: readonly Flag[], before: readonly string[]): Candidate[] {
  return flags
    .filter((flag) => !before.some((word) => flagOf(word, [flag])))
    .map(({ name, describe }) => ({ word: `--${name}`, describe }));
}

function conditions(before: readonly string[]): Candidate[] {
  const of = Object.entries(CONDITIONS).find(([kind]) => before.includes(kind))?.[1] ?? {};
  return Object.entries(of).map(([word, { says }]) => ({ word, describe: says }));
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, describe: '' }));
}

/** The flag that a word is, in any of its spellings. */
function flagOf(word: string | undefined, flags: readonly Flag[]): Flag | undefined {
  return flags.find(({ spellings }) =>
    spellings.some((spelling) => word === (spelling.length === 1 ? `-${spelling}` : `--${spelling}`)),
  );
}

/** What is neither a flag nor a flag's value. */
function argumentsIn(words: readonly string[], flags: readonly Flag[]): string[] {
  return words.filter((word, at) => !word.startsWith('-') && flagOf(words[at - 1], flags)?.takesValue !== true);
}

function lastIndexOfCommand(words: readonly string[], path: readonly Command[]): number {
  const last = path.at(-1);
  return last === undefined
    ? -1
    : words.findLastIndex((word) => word === firstWord(last.name) || last.aliases?.includes(word));
}

function flagValue(flag: string, words: readonly string[]): string | undefined {
  const at = words.lastIndexOf(`--${flag}`);
  return at === -1 ? undefined : words[at + 1];
}
