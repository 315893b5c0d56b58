import { didYouMean, type Located, type Place, quoted } from '@rungar/model';
import type { Args, Command, World } from './command.js';
import { type NamedText, readInput } from './files.js';
import { entriesOfOptionsFile, optionKey, unknownOption } from './options/document.js';
import { poolFlags } from './options/flags.js';
import { OPTIONS } from './options/table.js';
import { durationMs } from './plan/durations.js';
import type { ProblemCode, ProblemList } from './problems.js';

interface Given {
  readonly texts: readonly string[];
  readonly place?: Place;
}

/**
 * A command's flags, each read by what it has to be. What the command line does not say is taken from the file of
 * `--config`, whose keys are the flags' names in camelCase; a pool's own options may stand there too.
 */
export class FlagReader {
  readonly #args: Args;
  readonly #file: ReadonlyMap<string, Given>;
  readonly #problems: ProblemList;

  private constructor(args: Args, file: ReadonlyMap<string, Given>, problems: ProblemList) {
    this.#args = args;
    this.#file = file;
    this.#problems = problems;
  }

  /** @throws InputError when the file of `--config` cannot be read */
  static async open(
    args: Args,
    command: Pick<Command, 'flags'>,
    world: World,
    problems: ProblemList,
  ): Promise<FlagReader> {
    const file = args.config === undefined ? undefined : await readInput(String(args.config), world);
    return FlagReader.of(args, command, file, problems);
  }

  /** The same, with the file of `--config` already read. */
  static of(
    args: Args,
    command: Pick<Command, 'flags'>,
    file: NamedText | undefined,
    problems: ProblemList,
  ): FlagReader {
    return new FlagReader(args, file === undefined ? new Map() : readFile(file, ownKeys(command), problems), problems);
  }

  /** Every value of a flag that may be given several times. */
  texts(name: string): readonly string[] {
    return this.#given(name)?.texts ?? [];
  }

  text(name: string): string | undefined {
    return this.#given(name)?.texts.at(-1);
  }

  /** Whether the command line itself has it. */
  isGiven(name: string): boolean {
    return this.#args[name] !== undefined;
  }

  isSet(name: string): boolean {
    const text = this.text(name);
    if (text !== undefined && text !== 'true' && text !== 'false') {
      this.#reject(name, 'OPTION_INVALID', text, 'true or false', 'leave the value out');
    }
    return text === 'true';
  }

  whole(name: string, min: number, max = 1_000_000): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value;
    return this.#reject(name, 'OPTION_INVALID', text, `a whole number from ${min} to ${max}`, `write --${name} ${min}`);
  }

  percent(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[0-9]+(\.[0-9]+)?$/.test(text) && Number(text) <= 1000) return Number(text);
    return this.#reject(name, 'OPTION_INVALID', text, 'a percentage from 0 to 1000', `write --${name} 5`);
  }

  /** A duration in milliseconds: seconds, or a text with units. */
  durationMs(name: string, leastMs = 0): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = durationMs(text);
    if (ms !== undefined && ms >= leastMs) return ms;
    const least = leastMs === 0 ? '' : `, at least ${leastMs / 1000} s`;
    return this.#reject(
      name,
      'DURATION_INVALID',
      text,
      `seconds, or a text like 4m or 1m30s${least}`,
      `write --${name} 30`,
    );
  }

  choice<const Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    return this.#reject(
      name,
      'OPTION_INVALID',
      text,
      words.join(' or '),
      didYouMean(text, words) ?? `write ${words[0]}`,
    );
  }

  /** Values like `NAME=value`, by name; the later of two for one name counts. */
  pairs(name: string): ReadonlyMap<string, string> | undefined {
    const texts = this.texts(name);
    if (texts.length === 0) return undefined;
    const pairs = new Map<string, string>();
    for (const text of texts) {
      const at = text.lastIndexOf('=');
      if (at > 0 && at < text.length - 1) pairs.set(text.slice(0, at), text.slice(at + 1));
      else this.#reject(name, 'OPTION_INVALID', text, 'a name, = and a value', `write --${name} core=…`);
    }
    return pairs;
  }

  #given(name: string): Given | undefined {
    const arg = this.#args[name];
    if (arg === undefined) return this.#file.get(optionKey(name));
    return { texts: (Array.isArray(arg) ? arg : [arg]).map(String) };
  }

  #reject(name: string, code: ProblemCode, text: string, allowed: string, fix: string): undefined {
    const place = this.#args[name] === undefined ? this.#file.get(optionKey(name))?.place : undefined;
    return this.#problems.add({ code, at: name, found: quoted(text), allowed, fix, ...(place && { place }) });
  }
}

/** The keys that a command's own flags have in an options file: those of a pool are {@link OPTIONS}. */
export function ownKeys({ flags }: Pick<Command, 'flags'>): readonly string[] {
  const ofPools = poolFlags();
  return Object.keys(flags)
    .filter((name) => !Object.hasOwn(ofPools, name))
    .map(optionKey);
}

function readFile(file: NamedText, keys: readonly string[], problems: ProblemList): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  const known = [...keys, ...Object.keys(OPTIONS)];
  for (const { key, keyPlace, value } of entriesOfOptionsFile(file, problems)) {
    if (known.includes(key)) given.set(key, { texts: textsOf(value), place: value.place });
    else problems.add(unknownOption(key, known, keyPlace));
  }
  return given;
}

/** A single value, or a list of them; in a mapping of names to values each is `name=value`. */
function textsOf(value: Located): string[] {
  if (value.kind === 'scalar') return value.isNull ? [] : [value.source];
  if (value.kind === 'list') return value.items.flatMap(textsOf);
  return value.entries.flatMap(({ key, value: member }) => textsOf(member).map((text) => `${key}=${text}`));
}
