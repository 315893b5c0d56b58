/**
 * The closed set of error codes. The first five are the classes callers act on (docs/reference/errors.md);
 * `internal` is everything that has no class of its own.
 */
export const ERROR_CODES = [
  /** What was asked can never work as it was asked: a wrong value, a file that cannot be used, a refusal for good. */
  'invalid_argument',
  /** What was named does not exist. */
  'not_found',
  /** There is no room now; there may be some later, or elsewhere. */
  'no_capacity',
  /** Somebody or something else has it now. */
  'busy',
  /** It did not answer, or not now, or the outcome is not known. */
  'unavailable',
  /** Anything else, a fault of the program's own included. */
  'internal',
] as const;

/** What {@link RungarError.code} can be (docs/reference/errors.md). A later minor version may add one. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What an error can carry beside its code and message. */
export interface RungarErrorOptions extends ErrorOptions {
  /** One sentence on what to do about it. Shown after the message, never part of it. */
  hint?: string;
}

/** An error of a class callers may act on. Branch on {@link RungarError.code}, never on `message`. */
export class RungarError extends Error {
  override readonly name: string = 'RungarError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: RungarErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }
}

/**
 * Whether `error` is one of ours, told by its name and code: two copies of a package in one process make
 * `instanceof` answer no for the other's errors.
 */
export function isRungarError(error: unknown, code?: ErrorCode): error is RungarError {
  if (!(error instanceof Error) || !('code' in error)) return false;
  if (!(ERROR_CODES as readonly unknown[]).includes(error.code)) return false;
  return code === undefined || error.code === code;
}

/** The class of `error`: its own, else that of the nearest cause that has one, else `internal`. */
export function errorCodeOf(error: unknown): ErrorCode {
  let at: unknown = error;
  for (let depth = 0; depth < 16 && at instanceof Error; depth++) {
    if (isRungarError(at) && at.code !== 'internal') return at.code;
    at = at.cause;
  }
  return 'internal';
}

/** What to show a person of `error`: its message, whatever it is, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}
