import { Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, isRungarError, messageOf, type Redactor, RungarError } from '@rungar/model';
import type { Taken } from '../shared/outstanding.js';

/** What a Dicer daemon means by refusing a call. Nothing outside this file knows gRPC's own words. */
export type Refusal =
  /** The host has run out of something, or something is held by another instance. */
  | 'full'
  /** Can never work as asked. */
  | 'invalid'
  /** What was named is not there. */
  | 'absent'
  /** Our own files, or the daemon's certificate, do not fit. */
  | 'misconfigured'
  /** The call was not sent: there is no connection. */
  | 'unreachable'
  /** It may have been done or not. */
  | 'uncertain'
  /** The daemon does not have this method. */
  | 'unsupported'
  | 'other';

/** Thrown when no connection could be made, with the reason as its cause. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** A call that the daemon refused or did not answer. Its message is the daemon's own, with every secret taken out. */
export class DicerError extends Error {
  override readonly name = 'DicerError';
  /** gRPC's word for it, such as `RESOURCE_EXHAUSTED`, or the system's, such as `ECONNREFUSED`. */
  readonly code: string;
  readonly refusal: Refusal;
  readonly hint: string | undefined;

  constructor(code: string, message: string, refusal: Refusal, hint?: string) {
    super(message);
    this.code = code;
    this.refusal = refusal;
    this.hint = hint;
  }
}

/** Sorts a status the daemon answered with. */
export function classifyStatus(code: Code): Refusal {
  switch (code) {
    case Code.ResourceExhausted:
    case Code.FailedPrecondition:
      return 'full';
    case Code.InvalidArgument:
      return 'invalid';
    case Code.NotFound:
      return 'absent';
    case Code.Unimplemented:
      return 'unsupported';
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    // Nobody but a connection that broke cancels or aborts a call: our own signals are looked at before this.
    case Code.Canceled:
    case Code.Aborted:
      return 'uncertain';
    default:
      return 'other';
  }
}

const TLS_HINTS: readonly (readonly [code: RegExp, hint: string])[] = [
  [/ALTNAME_INVALID/, "Set tls.server_name to a name in the daemon's certificate"],
  [
    /^ERR_SSL_.*(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)/,
    'Set tls.cert_file and tls.key_file: the daemon asks for a client certificate',
  ],
  [
    /^ERR_SSL_.*(?:CERTIFICATE|UNKNOWN_CA|DECRYPT_ERROR)/,
    'The daemon refuses the certificate in tls.cert_file: use one that it trusts',
  ],
  [/^ERR_SSL_|^EPROTO$/, 'Take tls away if the daemon listens without it; it must speak TLS 1.3 otherwise'],
  [/EXPIRED|NOT_YET_VALID/, "Renew the daemon's certificate, and look at both clocks"],
  [/CERT|^UNABLE_TO_/, "Name the file of the authorities that vouch for the daemon's certificate in tls.ca_file"],
];

/** What to do about a failed handshake; nothing for any other error of the system's. */
export function tlsHint(code: string): string | undefined {
  return TLS_HINTS.find(([pattern]) => pattern.test(code))?.[1];
}

const SYSTEM_HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'Start the Dicer daemon, or correct the address: there is no such socket'],
  ['ECONNREFUSED', 'Start the Dicer daemon, or correct the address: nobody listens there'],
  ['EACCES', "Let this user open the daemon's socket, as a rule by its group"],
  ['ENOTFOUND', 'Correct the address: there is no host of that name'],
]);

/**
 * Makes a {@link DicerError} of whatever a call was rejected with. Connect's own error is not kept: it carries the
 * answer, which may repeat what was sent.
 */
export function toDicerError(error: unknown, redactor: Redactor): DicerError {
  if (error instanceof DicerError) return error;
  const chain = causesOf(error);
  const isUnsent = chain.some((one) => one instanceof NotConnected);
  const unanswered = isUnsent ? 'unreachable' : 'uncertain';
  const ours = chain.find((one) => isRungarError(one));
  if (isRungarError(ours)) {
    const refusal = ours.code === 'invalid_argument' ? 'misconfigured' : unanswered;
    return new DicerError(ours.code, redactor.redact(ours.message), refusal, ours.hint);
  }
  const root = chain.at(-1);
  const message = redactor.redact(root instanceof ConnectError ? root.rawMessage : messageOf(root ?? error));
  const systemCode = chain.map(systemCodeOf).find((code) => code !== undefined);
  if (systemCode !== undefined) {
    const hint = tlsHint(systemCode);
    if (hint !== undefined) return new DicerError(systemCode, message, 'misconfigured', hint);
    return new DicerError(systemCode, message, unanswered, SYSTEM_HINTS.get(systemCode));
  }
  if (isUnsent) return new DicerError('UNAVAILABLE', message, 'unreachable');
  const { code } = ConnectError.from(error);
  return new DicerError(wordFor(code), message, classifyStatus(code));
}

/** The error and its causes, outermost first. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && !chain.includes(at); at = causeOf(at)) chain.push(at);
  return chain;
}

/** A host of several addresses fails with all their errors: the first will do. */
function causeOf(error: Error): unknown {
  return error.cause ?? (error instanceof AggregateError ? (error.errors as unknown[])[0] : undefined);
}

function systemCodeOf(error: Error): string | undefined {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** `ResourceExhausted` as gRPC writes it: `RESOURCE_EXHAUSTED`. */
function wordFor(code: Code): string {
  return (Code[code] ?? 'Unknown').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** What a failed creation says of its machine. */
export function takenBy(error: unknown): Taken {
  return error instanceof DicerError && error.refusal !== 'uncertain' ? 'never' : 'unknown';
}

const CLASSES: Readonly<Record<Refusal, ErrorCode>> = {
  full: 'no_capacity',
  invalid: 'invalid_argument',
  absent: 'invalid_argument',
  misconfigured: 'invalid_argument',
  unreachable: 'unavailable',
  uncertain: 'unavailable',
  unsupported: 'internal',
  other: 'internal',
};

/**
 * The error for a caller, with the daemon's own words.
 * @param what was being done, put before them; empty for nothing
 */
export function toRungarError(error: DicerError, what = ''): RungarError {
  const message = what === '' ? error.message : `${what}: ${error.message}`;
  return new RungarError(CLASSES[error.refusal], message, { cause: error, ...(error.hint && { hint: error.hint }) });
}
