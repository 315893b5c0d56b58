import yargs, { type Argv } from 'yargs';
import type { Command } from '../command.js';

/** What a command takes, as its own declaration says. */
export interface Declared {
  /** Flags by their long names; a positional argument is none. */
  readonly flags: readonly Flag[];
  /** Arguments without a flag, in their order. */
  readonly positionals: readonly Positional[];
}

export interface Flag {
  readonly name: string;
  /** Its short letter too. */
  readonly spellings: readonly string[];
  readonly describe: string;
  /** Whether another word follows that is its value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface Positional {
  readonly name: string;
  /** Whether more of the kind may follow. */
  readonly isList: boolean;
  readonly choices: readonly string[];
}

/** What yargs knows of a declaration; its types do not say so. */
interface Internals {
  getOptions(): {
    readonly key: Readonly<Record<string, unknown>>;
    readonly boolean: readonly string[];
    readonly alias: Readonly<Record<string, readonly string[]>>;
    readonly choices: Readonly<Record<string, readonly string[]>>;
  };
  getInternalMethods(): { getUsageInstance(): { getDescriptions(): Readonly<Record<string, string | undefined>> } };
}

/** Reads the declaration of a command; without one, of what every command takes. */
export function declaredOf(command: Command | undefined): Declared {
  const parser = yargs().option('socket', { type: 'string', describe: "the daemon's socket" }).help();
  const declared = (command?.options?.(parser) ?? parser) as Argv & Internals;
  const { key, boolean, alias, choices } = declared.getOptions();
  const descriptions = declared.getInternalMethods().getUsageInstance().getDescriptions();
  const positionals = positionalsOf(command?.name ?? '').map((one) => ({ ...one, choices: choices[one.name] ?? [] }));
  const names = Object.keys(key).filter((name) => name.length > 1 && !positionals.some((one) => one.name === name));
  return {
    positionals,
    flags: names.map((name) => ({
      name,
      spellings: [name, ...(alias[name] ?? [])],
      describe: (descriptions[name] ?? '').replace(/^__yargsString__:/, ''),
      takesValue: !boolean.includes(name),
      choices: choices[name] ?? [],
    })),
  };
}

function positionalsOf(name: string): Omit<Positional, 'choices'>[] {
  return [...name.matchAll(/[<[]([\w-]+)(\.\.)?[\]>]/g)].map(([, word = '', dots]) => ({
    name: word,
    isList: dots !== undefined,
  }));
}
