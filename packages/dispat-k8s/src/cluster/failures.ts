import { messageOf } from '@rungar/model';
import { InputError, inputError, isInputError } from '../problems.js';

/** What was being done when the cluster refused, in Kubernetes' own words: they are what a Role is written in. */
export interface Attempt {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  /** `jobs`, `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The parts of a `Status` answer that are read. */
export interface StatusAnswer {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly StatusCause[] };
}

interface StatusCause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/** An answer that is not a success. It stays inside this folder; callers of the package see an InputError. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly attempt: Attempt;
  readonly answer: StatusAnswer;

  constructor(status: number, attempt: Attempt, answer: StatusAnswer) {
    super(answer.message ?? `HTTP status ${status}`);
    this.status = status;
    this.attempt = attempt;
    this.answer = answer;
  }
}

/** No answer at all: the connection failed or broke. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly attempt: Attempt;

  constructor(attempt: Attempt, cause: unknown) {
    super(messageOf(cause), { cause });
    this.attempt = attempt;
  }
}

/** Whether the same call may well succeed when it is made again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswer) {
    const code = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined;
    return code !== 'ENOTFOUND' && code !== 'ECONNREFUSED';
  }
  return error instanceof ApiFailure && [429, 500, 502, 503, 504].includes(error.status);
}

/** What to tell the caller of a failed call. Errors of another kind pass through. */
export function toInputError(error: unknown, server: string): unknown {
  if (error instanceof NoAnswer) return unreachable(error, server);
  if (!(error instanceof ApiFailure)) return error;
  const { status, attempt, answer } = error;
  const causes = answer.details?.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (status === 409 && conflicts.length > 0) return conflictError(attempt, conflicts);
  if (status === 403) return forbidden(error);
  if (status === 401) {
    return inputError({
      code: 'CLUSTER_FORBIDDEN',
      at: server,
      found: 'credentials that the cluster does not accept',
      allowed: 'a signed-in user or a service account',
      fix: 'sign in again, or name another kubeconfig or context',
    });
  }
  return inputError({
    code: 'CLUSTER_FAILED',
    at: targetOf(attempt),
    found: `${messageOf(error)} (status ${status}, on ${attempt.verb})`,
    allowed: 'an answer that the request was carried out',
    fix: status >= 500 || status === 429 ? 'try again when the cluster is well' : 'change what the message names',
  });
}

function unreachable(error: NoAnswer, server: string): InputError {
  return inputError({
    code: 'CLUSTER_FAILED',
    at: server,
    found: `no answer: ${withoutUser(error.message)}`,
    allowed: 'an API server that can be reached',
    fix: 'check the address in the kubeconfig and the network to it',
  });
}

function forbidden({ attempt, answer }: ApiFailure): InputError {
  return inputError({
    code: 'CLUSTER_FORBIDDEN',
    at: targetOf(attempt),
    found: `no right to ${attempt.verb} ${attempt.resource}${answer.message === undefined ? '' : ` (${answer.message})`}`,
    allowed: `a user with the verb ${attempt.verb} on ${attempt.resource}`,
    fix: 'bind the Role of docs/guides/dispat-worker-rights.md to this user',
  });
}

function conflictError(attempt: Attempt, conflicts: readonly StatusCause[]): InputError {
  return new InputError(
    conflicts.map(({ field, message }) => ({
      code: 'FIELD_CONFLICT',
      severity: 'error',
      at: `${targetOf(attempt)} ${field ?? ''}`.trimEnd(),
      found: `a value owned by ${managerIn(message ?? '')}`,
      allowed: 'a field that only dispat-worker-manifest sets',
      fix: 'give the field up there, or take it over with --force-conflicts',
    })),
  );
}

/** The API server's words are: conflict with "kubectl-client-side-apply" using batch/v1. */
function managerIn(message: string): string {
  return /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? (message || 'another manager');
}

/** `release/jobs/dispat-workers`. */
function targetOf({ namespace, resource, name }: Attempt): string {
  return [namespace, resource, name].filter((part) => part !== undefined).join('/');
}

/** Whether the cluster did not do what it was asked, which may change: not a refusal, and nothing of the caller's. */
export function isClusterFailure(error: unknown): boolean {
  return isInputError(error) && error.problems.every(({ code }) => code === 'CLUSTER_FAILED');
}

/** Whether an error is the cluster's refusal of a right. */
export function isForbidden(error: unknown): boolean {
  return isInputError(error) && error.problems.some(({ code }) => code === 'CLUSTER_FORBIDDEN');
}

/** An address may have a password in it. */
export function withoutUser(text: string): string {
  return text.replace(/\/\/[^\s/@]+@/g, '//');
}
