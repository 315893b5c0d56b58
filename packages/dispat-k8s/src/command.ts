import type { Clock } from '@rungar/model';
import type { ArgumentsCamelCase, Options, PositionalOptions } from 'yargs';

/** Text out: a terminal, a pipe or a file. */
export interface Output {
  /** Writes text. It need not have arrived when this returns. */
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** The process's own file descriptor, for programs that it starts. */
  readonly fd?: number | undefined;
}

/** Text in: a terminal, a pipe or a file. */
export interface Input extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean | undefined;
}

/** All that a command may touch of the process it runs in. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the user or the system asks the program to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export type Args = ArgumentsCamelCase<Readonly<Record<string, unknown>>>;

/** One command: what it takes, and what it does. Its module loads nothing that `--help` does not need. */
export interface Command {
  /** As yargs reads it: `check [files..]`. */
  readonly name: string;
  readonly describe: string;
  /** Lines of use beyond the name, when one is not enough. */
  readonly usage?: string;
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  /** Every flag it takes beside the shared ones, by its name without the hyphens: `dispat-config`. */
  readonly flags: Readonly<Record<string, Options>>;
  /** Flags that may be given several times though they are no lists to the parser. */
  readonly repeated?: readonly string[];
  /** The formats `--format` takes, the default first. */
  readonly formats?: readonly string[];
  /**
   * Does it. Whatever is not needed for `--help` is imported in here.
   * @returns the exit code: `EXIT`
   */
  run(args: Args, world: World): Promise<number>;
}

/** The flags of every command. `--format` is there for those that name their formats. */
const SHARED_FLAGS = {
  config: { type: 'string', requiresArg: true, describe: 'options file, YAML or JSON: the flags in camelCase' },
  output: {
    alias: 'o',
    type: 'string',
    default: '-',
    requiresArg: true,
    describe: 'write to this file; - is standard output',
  },
  quiet: { alias: 'q', type: 'boolean', default: false, describe: 'leave out notes and reminders' },
  'no-color': { type: 'boolean', default: false, describe: 'no colours' },
} as const satisfies Record<string, Options>;

/** Every flag that a command takes, by name. Its own stand in place of shared ones. */
export function flagsOf({ flags, formats }: Command): Record<string, Options> {
  const format: Options = {
    choices: formats ?? [],
    ...(formats?.[0] !== undefined && { default: formats[0] }),
    requiresArg: true,
    describe: 'how to write the result',
  };
  return { ...SHARED_FLAGS, ...(formats && { format }), ...flags };
}
