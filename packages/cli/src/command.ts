import type { Clock } from '@rungar/model';
import type { ArgumentsCamelCase, Argv } from 'yargs';

/** Text out: a terminal, a pipe or a file. */
export interface Output {
  /** Writes text. It need not have arrived when this returns. */
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** All that a command may touch of the process it runs in. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string> & {
    readonly isTTY?: boolean | undefined;
    /** Of a terminal: hands on each key as it is pressed. */
    setRawMode?(raw: boolean): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** False once nobody reads standard output any more, as far as that can be told without writing. */
  hasReader?(): boolean;
  /** Aborts when the user or the system asks the program to end. */
  readonly signal: AbortSignal;
  /** Has SIGHUP call `handler` from now on; without that it ends the program. */
  takeHangUps?(handler: () => void): void;
  readonly clock: Clock;
  /** The host and the interpreter, for a daemon. */
  readonly host: {
    readonly name: string;
    readonly nodeVersion: string;
    /** Sets the process's mask for new files. @returns the one before */
    umask(mask: number): number;
  };
  /** How to start this program again as a process of its own: the interpreter and the file. */
  readonly self: readonly [interpreter: string, file: string];
}

/** One command: what it takes, and what it does. */
export interface Command {
  /** As yargs reads it: `status`, `labels <command>`. */
  readonly name: string;
  /** Other words for its first word. */
  readonly aliases?: readonly string[];
  readonly describe: string;
  /** Commands that stand behind its name, each with flags of its own: `config init`. */
  readonly subcommands?: readonly Command[];
  /** Declares flags and arguments. Loads nothing. */
  options?(yargs: Argv): Argv;
  /**
   * Does it; absent where only the commands behind it do something. Whatever is not needed for `--help` is imported in here.
   * @returns the exit code: docs/reference/cli.md
   */
  run?(args: ArgumentsCamelCase<Record<string, unknown>>, world: World): Promise<number>;
}
