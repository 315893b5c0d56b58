import { type ErrorCode, isRungarError, messageOf, type Redactor, RungarError } from '@rungar/model';

/** No room for a file or a process: there may be some later, or on another provider. */
const FULL = ['ENOSPC', 'EDQUOT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];
/** The outcome is not known: a disk or a network file system has failed. */
const UNKNOWN = ['EIO', 'ETIMEDOUT', 'ESTALE'];

/**
 * An error as the contract has them: of a class that callers act on, and without the system's own error, which may
 * repeat what it was given.
 * @param what could not be done: `starting linux-1`
 */
export function failureOf(what: string, error: unknown, redactor: Redactor): RungarError {
  if (isRungarError(error)) return error;
  return new RungarError(codeOf(error), `${what}: ${redactor.redact(messageOf(error))}`);
}

function codeOf(error: unknown): ErrorCode {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (FULL.includes(code)) return 'no_capacity';
  return UNKNOWN.includes(code) ? 'unavailable' : 'internal';
}
