import { Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, errorCodeOf, messageOf, type Redactor } from '@rungar/model';

const CODES: Readonly<Record<ErrorCode, Code>> = {
  not_found: Code.NotFound,
  invalid_argument: Code.InvalidArgument,
  busy: Code.FailedPrecondition,
  no_capacity: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  internal: Code.Internal,
};

/**
 * An error as the API answers it: its class as a code, and its message, which is the whole text for people
 * (docs/reference/control-api.md). One that is for the wire already, such as a caller's own time limit, stays.
 */
export function toConnectError(error: unknown, redactor: Redactor): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError(redactor.redact(messageOf(error)), codeFor(error));
}

function codeFor(error: unknown): Code {
  if (error instanceof Error && error.name === 'AbortError') return Code.Canceled;
  if (error instanceof Error && error.name === 'TimeoutError') return Code.DeadlineExceeded;
  return CODES[errorCodeOf(error)];
}
