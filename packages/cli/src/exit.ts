import { errorCodeOf } from '@rungar/model';

/** What the program's exit code says (docs/reference/cli.md). */
export const EXIT = {
  /** It is done; or `serve` was told to stop, or following events was ended. */
  done: 0,
  /** It failed in any other way, such as a file that is not there. */
  failed: 1,
  /** A configuration that says something wrong. */
  invalid: 2,
  /** The daemon cannot be reached. */
  noDaemon: 3,
  /** An unknown scale set, provider or runner. */
  unknownName: 4,
  /** Refused now: busy, not answering, no capacity. */
  refused: 5,
  /** Some of several did not succeed; or a replay decided otherwise than what was recorded. */
  partly: 6,
  /** The command line says something wrong. */
  usage: 64,
  /** Ended by Ctrl-C. */
  interrupted: 130,
  /** Ended by the system: SIGTERM, or SIGHUP where that does not mean to reload. */
  terminated: 143,
} as const;

/** Ends the program with an exit code of its own. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** What the program was asked to end by; the reason of {@link World.signal}. */
export class StopRequest extends Error {
  override readonly name = 'StopRequest';
  readonly exitCode: number;

  /** @param by a signal, or the reader of our output, who has seen enough */
  constructor(by: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'reader') {
    super(`ended by ${by}`);
    this.exitCode = by === 'reader' ? EXIT.done : by === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof ExitError || error instanceof StopRequest) return error.exitCode;
  switch (errorCodeOf(error)) {
    case 'not_found':
      return EXIT.unknownName;
    case 'busy':
    case 'unavailable':
    case 'no_capacity':
      return EXIT.refused;
    case 'invalid_argument':
    case 'internal':
      return EXIT.failed;
  }
}
