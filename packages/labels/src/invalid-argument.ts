/**
 * What every maker of this package throws: an error that `isRungarError` of `@rungar/model` recognises by its name
 * and code. It is declared here because this package needs nothing at run time.
 */
export class InvalidArgument extends Error {
  override readonly name: string = 'RungarError';
  readonly code = 'invalid_argument';
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** How a value is named in an error: its text if it is one, else only its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'undefined' ? 'undefined' : `a value of type ${typeof value}`;
}

/** @throws InvalidArgument when `value` is not text */
export function requireText(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string') throw new InvalidArgument(`${what} must be text, not ${shown(value)}`);
}
