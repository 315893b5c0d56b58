import { type ErrorCode, type Redactor, RungarError } from '@rungar/model';
import { certificateHint } from '../shared/certificate-codes.js';
import type { Taken } from '../shared/outstanding.js';

/** What EC2 means by refusing a call. Nothing outside this file knows EC2's own words. */
export type Refusal =
  /** Asked too often: the call waits and is made again. */
  | 'throttled'
  /** Full for now. */
  | 'full'
  /** A quota of the account, which every subnet shares. */
  | 'quota'
  /** Not to be had in this zone. */
  | 'unsupported'
  /** Can never work as asked. */
  | 'invalid'
  /** It may have been done or not. */
  | 'uncertain'
  /** It was not sent: there are no credentials to sign it with. */
  | 'unreachable'
  | 'other';

const REFUSALS: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['InternalError', 'uncertain'],
  ['InternalFailure', 'uncertain'],
  ['ServiceUnavailable', 'uncertain'],
  ['Unavailable', 'uncertain'],
  ['InsufficientInstanceCapacity', 'full'],
  ['InsufficientHostCapacity', 'full'],
  ['InsufficientCapacity', 'full'],
  ['InsufficientVolumeCapacity', 'full'],
  ['InsufficientFreeAddressesInSubnet', 'full'],
  ['SpotMaxPriceTooLow', 'full'],
  ['InstanceLimitExceeded', 'quota'],
  ['VcpuLimitExceeded', 'quota'],
  ['MaxSpotInstanceCountExceeded', 'quota'],
  ['MaxFleetCountExceeded', 'quota'],
  ['VolumeLimitExceeded', 'quota'],
  ['NetworkInterfaceLimitExceeded', 'quota'],
  ['AddressLimitExceeded', 'quota'],
  ['Unsupported', 'unsupported'],
  ['MissingParameter', 'invalid'],
  ['UnknownParameter', 'invalid'],
  ['RequestLimitExceeded', 'throttled'],
  ['TooManyRequestsException', 'throttled'],
  ['SlowDown', 'throttled'],
  ['EC2ThrottledException', 'throttled'],
]);

const REFUSALS_BY_PREFIX: readonly (readonly [prefix: string, refusal: Refusal])[] = [
  ['Throttling', 'throttled'],
  ['RequestThrottled', 'throttled'],
  ['Invalid', 'invalid'],
];

const CREDENTIALS_ERRORS = ['CredentialsProviderError', 'TokenProviderError'];
const CREDENTIALS_HINT = 'name a credentials_file or a profile that has keys, or give this host a role';

/** What is known of a failed call. */
export interface Failure {
  /** EC2's error code; absent when EC2 did not answer, or something before it did. */
  readonly code?: string;
  /** The answer's HTTP status; absent when there was none. */
  readonly status?: number;
}

/** Sorts a failed call. The code is looked at before the status: a stock-out comes with status 500. */
export function classifyFailure({ code, status }: Failure): Refusal {
  if (code !== undefined) {
    const refusal = REFUSALS.get(code) ?? REFUSALS_BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1];
    if (refusal) return refusal;
  } else if (status === 429 || status === 503) {
    return 'throttled';
  }
  if (status === undefined || status < 400 || status >= 500) return 'uncertain';
  return 'other';
}

/** A call that EC2 refused or did not answer. Its message is EC2's own, with every secret taken out. */
export class Ec2Error extends Error {
  override readonly name = 'Ec2Error';
  /** EC2's error code, or a word of ours where EC2 gave none. */
  readonly code: string;
  readonly status: number | undefined;
  readonly refusal: Refusal;
  /** What to do about it, where that is known. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, refusal: Refusal, status?: number, hint?: string) {
    super(message);
    this.code = code;
    this.status = status;
    this.refusal = refusal;
    this.hint = hint;
  }

  /** `CODE: message`, for a person. */
  get reason(): string {
    return `${this.code}: ${this.message}`;
  }
}

/**
 * Makes an {@link Ec2Error} of whatever a call of the SDK was rejected with. The SDK's own error is not kept: it
 * carries the answer, which may repeat what was sent.
 */
export function toEc2Error(error: unknown, redactor: Redactor): Ec2Error {
  if (error instanceof Ec2Error) return error;
  const facts = readError(error);
  const message = redactor.redact(facts.message);
  if (CREDENTIALS_ERRORS.includes(facts.name)) {
    return new Ec2Error('NoCredentials', message, 'unreachable', undefined, CREDENTIALS_HINT);
  }
  const failure: Failure = {
    ...(facts.code !== undefined && { code: facts.code }),
    ...(facts.status !== undefined && { status: facts.status }),
  };
  const refusal = classifyFailure(failure);
  if (facts.code !== undefined) return new Ec2Error(facts.code, message, refusal, facts.status);
  if (facts.status === undefined) {
    return new Ec2Error(facts.systemCode ?? 'NoAnswer', message, refusal, undefined, certificateHint(error));
  }
  return new Ec2Error(`HTTP ${facts.status}`, 'an answer that is not one of EC2', refusal, facts.status);
}

/** An answer that says it is one and is not: what was asked may have been done or not. */
export function unreadable(action: string): Ec2Error {
  return new Ec2Error('UnreadableAnswer', `the answer to ${action} is not one of EC2`, 'uncertain');
}

/** What a failed RunInstances says of its machine. */
export function takenBy(error: unknown): Taken {
  if (!(error instanceof Ec2Error) || error.refusal === 'uncertain') return 'unknown';
  return error.refusal === 'throttled' || error.refusal === 'unreachable' ? 'no' : 'never';
}

/** Whether `error` is a throttle. */
export function isThrottle(error: unknown): boolean {
  return error instanceof Ec2Error && error.refusal === 'throttled';
}

/** The instances an error's message names. */
export function instanceIdsIn(message: string): readonly string[] {
  return message.match(/\bi-[0-9a-f]{8,17}\b/g) ?? [];
}

interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly systemCode?: string;
  readonly status?: number;
}

/** The SDK puts EC2's code under `Code`, the system's under `code`, and the status under `$metadata`. */
function readError(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  const { Code, code, $metadata } = error as {
    Code?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  return {
    name: error.name,
    message: error.message,
    ...(typeof Code === 'string' && Code !== '' && { code: Code }),
    ...(typeof code === 'string' && { systemCode: code }),
    ...(typeof status === 'number' && { status }),
  };
}

/** Whether EC2 refused a call because an instance it names does not exist. */
export function isNoSuchInstance(error: Ec2Error): boolean {
  return error.code.startsWith('InvalidInstanceID.');
}

/** Whether EC2 refused a call for the sake of some of its instances, such as those protected from termination. */
export function isNotPermitted(error: Ec2Error): boolean {
  return error.code === 'OperationNotPermitted';
}

const CODES: Readonly<Record<Refusal, ErrorCode>> = {
  full: 'no_capacity',
  quota: 'no_capacity',
  unsupported: 'invalid_argument',
  invalid: 'invalid_argument',
  uncertain: 'unavailable',
  throttled: 'unavailable',
  unreachable: 'unavailable',
  other: 'internal',
};

/**
 * `error` as callers of a provider know it.
 * @param what was tried, before EC2's own words
 * @param more is said after them
 */
export function toRungarError(error: Ec2Error, what: string, more = ''): RungarError {
  const message = `${what}: ${error.reason}${more}`;
  return new RungarError(CODES[error.refusal], message, { cause: error, ...(error.hint && { hint: error.hint }) });
}
