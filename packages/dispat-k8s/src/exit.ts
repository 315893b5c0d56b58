import { errorCodeOf } from '@rungar/model';
import { isInputError } from './problems.js';

/** What the program's exit code says. They are this program's own: `rungar` has others. */
export const EXIT = {
  done: 0,
  /** A finding at or above the level asked for, or a pool that failed. */
  found: 1,
  /** A bad command line, or an input that says something wrong. */
  invalid: 2,
  /** A wait ran out. */
  timedOut: 3,
  /** Refused, because a pool in use would be touched. */
  inUse: 4,
  /** The cluster, git or a file could not be reached or read. */
  noAccess: 5,
  interrupted: 130,
  /** Whoever read what it printed has gone. */
  unread: 141,
  terminated: 143,
} as const;

/** A command line that cannot be read. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const EXIT_BY = {
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.unread,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.terminated,
} as const;

/** What the program was asked to end by; the reason of the world's signal. */
export class StopRequest extends Error {
  override readonly name = 'StopRequest';
  readonly exitCode: number;

  constructor(by: keyof typeof EXIT_BY) {
    super(`ended by ${by}`);
    this.exitCode = EXIT_BY[by];
  }
}

/** Problems that are the surroundings' fault, not the input's. */
const NO_ACCESS = new Set<string>([
  'CLIENT_MISSING',
  'CLUSTER_FAILED',
  'CLUSTER_FORBIDDEN',
  'CONFIG_NOT_READABLE',
  'GIT_FAILED',
  'OUTPUT_NOT_WRITABLE',
]);

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof StopRequest) return error.exitCode;
  if (isInputError(error)) {
    const codes = error.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    if (codes.includes('POOL_IN_USE')) return EXIT.inUse;
    return codes.length > 0 && codes.every((code) => NO_ACCESS.has(code)) ? EXIT.noAccess : EXIT.invalid;
  }
  switch (errorCodeOf(error)) {
    case 'invalid_argument':
      return EXIT.invalid;
    case 'busy':
      return EXIT.inUse;
    case 'not_found':
    case 'unavailable':
    case 'no_capacity':
      return EXIT.noAccess;
    case 'internal':
      return EXIT.found;
  }
}
