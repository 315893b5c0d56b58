import { type ErrorCode, type Redactor, RungarError } from '@rungar/model';
import type { Taken } from '../shared/outstanding.js';

/** What Compute Engine means by refusing a call. Nothing outside this file knows its own words. */
export type Refusal =
  /** Asked too often: the call waits and is made again. */
  | 'throttled'
  /** No room in that zone for that type now. */
  | 'full'
  /** A quota of the project, which every zone shares. */
  | 'quota'
  /** Can never work as asked. */
  | 'invalid'
  /** It may have been done or not. */
  | 'uncertain'
  /** It was not sent: there is no token to send it with. */
  | 'unreachable'
  | 'other';

const REFUSALS: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['ZONE_RESOURCE_POOL_EXHAUSTED', 'full'],
  ['ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS', 'full'],
  ['REGION_RESOURCE_POOL_EXHAUSTED', 'full'],
  ['RESOURCE_POOL_EXHAUSTED', 'full'],
  ['QUOTA_EXCEEDED', 'quota'],
  ['quotaExceeded', 'quota'],
  ['RESOURCE_NOT_FOUND', 'invalid'],
  ['NOT_FOUND', 'invalid'],
  ['notFound', 'invalid'],
  ['invalid', 'invalid'],
]);

const RATE_REASONS: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'operationRateLimitExceeded',
  'RATE_LIMIT_EXCEEDED',
]);
/** How a quota names itself that fills up again by the minute. */
const PER_MINUTE = /per[ -]?minute/i;

/** What a word of Compute Engine's, a reason or an operation's code, says. */
function classifyWord(word: string): Refusal {
  const known = REFUSALS.get(word);
  if (known !== undefined) return known;
  if (word.endsWith('STOCKOUT')) return 'full';
  return word.startsWith('INVALID_') ? 'invalid' : 'other';
}

/** The first of `words` that says more than nothing. */
function firstTelling(words: readonly string[]): { readonly word: string; readonly refusal: Refusal } | undefined {
  for (const word of words) {
    const refusal = classifyWord(word);
    if (refusal !== 'other') return { word, refusal };
  }
  return undefined;
}

/** A call that Compute Engine refused or did not answer, or an operation that failed. Every secret is out of its message. */
export class GceError extends Error {
  override readonly name = 'GceError';
  /** Google's own word for it, or one of ours where there is none. */
  readonly code: string;
  /** Of the answer; absent when there was none, and for a failed operation. */
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

  /** Google's own message, for a person. */
  get reason(): string {
    return this.message;
  }
}

/** The words and the message of an error's answer, as far as they can be read. */
interface ErrorBody {
  readonly message: string | undefined;
  readonly words: readonly string[];
  readonly limits: readonly string[];
}

/** The error an answer of `status` is. */
export function errorOfAnswer(status: number, text: string, redactor: Redactor): GceError {
  const body = readErrorBody(text);
  const message = redactor.redact(body?.message ?? `HTTP ${status}, an answer that is not one of Compute Engine`);
  const { code, refusal } = classifyAnswer(status, body);
  return new GceError(code, message, refusal, status);
}

function classifyAnswer(status: number, body: ErrorBody | undefined): { code: string; refusal: Refusal } {
  const words = body?.words ?? [];
  const code = words[0] ?? `HTTP ${status}`;
  if (status >= 500 || status === 408) return { code, refusal: 'uncertain' };
  if (status === 429 || (status === 403 && isRate(body))) return { code, refusal: 'throttled' };
  const telling = firstTelling(words);
  if (telling !== undefined) return { code: telling.word, refusal: telling.refusal };
  return { code, refusal: body !== undefined && (status === 400 || status === 404) ? 'invalid' : 'other' };
}

function isRate(body: ErrorBody | undefined): boolean {
  if (body === undefined) return false;
  if (body.words.some((word) => RATE_REASONS.has(word))) return true;
  return (
    body.words.includes('quotaExceeded') && [...body.limits, body.message ?? ''].some((text) => PER_MINUTE.test(text))
  );
}

interface RawError {
  readonly message?: unknown;
  readonly errors?: readonly { readonly reason?: unknown }[];
  readonly details?: readonly { readonly reason?: unknown; readonly metadata?: Readonly<Record<string, unknown>> }[];
}

function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: RawError };
    if (typeof error !== 'object' || error === null) return undefined;
    const details = error.details ?? [];
    const words = [...(error.errors ?? []), ...details].map(({ reason }) => reason);
    const limits = details.flatMap(({ metadata }) => [metadata?.quota_limit, metadata?.quota_metric]);
    const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
    return {
      message: isText(error.message) ? error.message : undefined,
      words: words.filter(isText),
      limits: limits.filter(isText),
    };
  } catch {
    return undefined;
  }
}

/** One error of an operation, as the API has it. */
export interface RawOperationError {
  readonly code?: string;
  readonly message?: string;
}

/** What a failed operation comes to; nothing when it did not fail. */
export function errorOfOperation(
  errors: readonly RawOperationError[] | undefined,
  redactor: Redactor,
): GceError | undefined {
  if (errors === undefined || errors.length === 0) return undefined;
  const words = errors.map(({ code }) => code ?? '');
  const telling = firstTelling(words);
  const messages = errors.map(({ code, message }) => message ?? code ?? '').filter((text) => text !== '');
  const message = redactor.redact([...new Set(messages)].join(' '));
  return new GceError(telling?.word ?? words[0] ?? '', message, telling?.refusal ?? 'other');
}

/** Nobody knows what became of what was asked. */
export function unanswered(message: string, hint?: string): GceError {
  return new GceError('NoAnswer', message, 'uncertain', undefined, hint);
}

/** Whether the next look may tell more: no answer, trouble of Google's own, no token, or asked too often. */
export function isPassing(error: unknown): boolean {
  return error instanceof GceError && ['uncertain', 'unreachable', 'throttled'].includes(error.refusal);
}

/** What a failed insert says of its machine. */
export function takenBy(error: unknown): Taken {
  if (!(error instanceof GceError) || error.refusal === 'uncertain') return 'unknown';
  return isPassing(error) ? 'no' : 'never';
}

/** Whether `error` is a throttle. */
export function isThrottle(error: unknown): boolean {
  return error instanceof GceError && error.refusal === 'throttled';
}

/** Whether a call or an operation came to nothing because what it names is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof GceError && (error.status === 404 || error.code === 'RESOURCE_NOT_FOUND');
}

const CODES: Readonly<Record<Refusal, ErrorCode>> = {
  full: 'no_capacity',
  quota: 'no_capacity',
  invalid: 'invalid_argument',
  uncertain: 'unavailable',
  throttled: 'unavailable',
  unreachable: 'unavailable',
  other: 'internal',
};

/**
 * `error` as callers of a provider know it.
 * @param what was tried, before Google's own words
 * @param more is said after them
 */
export function toRungarError(error: GceError, what: string, more = ''): RungarError {
  const message = `${what}: ${error.reason}${more}`;
  return new RungarError(CODES[error.refusal], message, { cause: error, ...(error.hint && { hint: error.hint }) });
}
