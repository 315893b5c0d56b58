import {
  type ErrorCode,
  isRungarError,
  type Redactor,
  RungarError,
  type RungarErrorOptions,
  type SessionRefusal,
} from '@rungar/model';
import { type Answer, type GitHubService, isTransient, type RequestName, toldWaitMs } from './answer.js';
import { hintForFault } from './fault-hints.js';
import type { Advise } from './refusal-hints.js';
import type { ServerClock } from './server-clock.js';
import { decodeFault } from './wire/fault.js';

/** What is known of a failed request, for a program. */
export interface GitHubFailure {
  readonly service: GitHubService;
  /** Absent when there was no answer. */
  readonly status?: number;
  /** The service's name for the kind of error; empty where it gave none. */
  readonly typeName: string;
  /** Whether the same request may work later. */
  readonly transient: boolean;
  /** How long GitHub asked to wait. */
  readonly retryAfterMs?: number;
  /** Nobody can ask with these credentials: they were refused, or the App is not installed. */
  readonly badCredentials?: boolean;
}

/** A request to GitHub that did not bring what it was made for. Recognise it by {@link failureOf}. */
export class GitHubError extends RungarError {
  readonly failure: GitHubFailure;

  constructor(code: ErrorCode, message: string, failure: GitHubFailure, options: RungarErrorOptions = {}) {
    super(code, message, options);
    this.failure = failure;
  }
}

/** What is known of the request behind `error`, if one is, its causes included. */
export function failureOf(error: unknown): GitHubFailure | undefined {
  let at: unknown = error;
  for (let depth = 0; depth < 16 && at instanceof Error; depth++) {
    if ('failure' in at && typeof at.failure === 'object' && at.failure !== null) return at.failure as GitHubFailure;
    at = at.cause;
  }
  return undefined;
}

/**
 * What kind of refusal an error of opening a session, or of the look-ups before it, was. An App that is not
 * installed counts as `unauthorized` like a refused credential: neither can ever ask.
 */
export function refusalOf(error: unknown): SessionRefusal {
  const failure = failureOf(error);
  if (!failure) return isRungarError(error, 'unavailable') ? 'no_answer' : 'refused';
  if (failure.typeName.includes('SessionConflict')) return 'conflict';
  if (failure.transient) return 'no_answer';
  if (failure.badCredentials) return 'unauthorized';
  if (failure.service !== 'actions') return 'refused';
  if (failure.status === 409) return 'conflict';
  return failure.status === 404 ? 'scale_set_gone' : 'refused';
}

/** `busy` kinds: somebody or something else has what was asked for. */
const BUSY_KINDS = ['SessionConflictException', 'AgentExistsException', 'JobStillRunningException'];

function codeOf(answer: Answer, typeName: string): ErrorCode {
  if (BUSY_KINDS.some((kind) => typeName.includes(kind)) || answer.status === 409) return 'busy';
  if (answer.status === 404) return 'not_found';
  return isTransient(answer) || answer.status >= 500 ? 'unavailable' : 'invalid_argument';
}

/** Headers by which GitHub's support finds a request. */
const TRACE_HEADERS = [
  ['activityid', 'ActivityId'],
  ['x-github-request-id', 'X-GitHub-Request-Id'],
] as const;

function traceOf(answer: Answer): string {
  const traces = TRACE_HEADERS.flatMap(([header, label]) => {
    const value = answer.headers[header];
    return value ? [`${label} ${value}`] : [];
  });
  return traces.length > 0 ? ` (${traces.join(', ')})` : '';
}

/** What makes errors of requests: one place, so that every text passes the redactor. */
export interface Failures {
  /** The error for an answer that is not what was wanted. */
  ofAnswer(request: RequestName, answer: Answer): GitHubError;
  /** The error for an answer of success whose body lacks what it is for. */
  ofBody(request: RequestName, answer: Answer, missing: string): GitHubError;
  /** The error for a request without an answer. */
  ofSilence(request: RequestName, error: unknown): GitHubError;
  /**
   * The error for a request that was not sent, because it would have to wait for longer than it may take.
   * @param why GitHub's wish, unless said
   */
  ofPause(request: RequestName, waitMs: number, why?: string): GitHubError;
}

/** Faults of a connection that asking again does not mend. */
const LASTING_FAULTS =
  /^(CERT_|ERR_PROXY_REFUSED|ERR_TLS|ERR_SSL|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_|ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ERR_TOO_MANY_REDIRECTS)/;

/** The code of the innermost cause that has one: what the socket or TLS said. */
function faultCodeOf(error: unknown): { code: string; text: string } {
  let found = { code: '', text: error instanceof Error ? error.message : String(error) };
  let at: unknown = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string') found = { code: at.code, text: at.message || found.text };
    at = at.cause;
  }
  return found;
}

/** @param advise gives the hints of refusals */
export function createFailures(redactor: Redactor, serverClock: ServerClock, advise: Advise): Failures {
  const nameOf = (request: RequestName): string => `${request.method} ${request.path}`;

  return {
    ofAnswer(request, answer) {
      const { typeName, message } = decodeFault(answer.body);
      const words = message || (typeName ? typeName.split(',')[0] : '') || 'no explanation';
      const hint = advise(request, answer);
      const transient = isTransient(answer);
      const retryAfterMs = toldWaitMs(answer, serverClock.now());
      return new GitHubError(
        codeOf(answer, typeName),
        redactor.redact(`GitHub answered ${answer.status} to ${nameOf(request)}: ${words}${traceOf(answer)}`),
        {
          service: request.service,
          status: answer.status,
          typeName,
          transient,
          ...(retryAfterMs !== undefined && { retryAfterMs }),
          ...(answer.status === 401 && { badCredentials: true }),
        },
        hint !== undefined && !transient ? { hint } : {},
      );
    },
    ofBody(request, answer, missing) {
      return new GitHubError(
        'unavailable',
        `GitHub answered ${answer.status} to ${nameOf(request)} without ${missing}${traceOf(answer)}`,
        { service: request.service, status: answer.status, typeName: '', transient: true },
      );
    },
    ofSilence(request, error) {
      const { code, text } = faultCodeOf(error);
      const lasting = LASTING_FAULTS.test(code);
      const hint = hintForFault(code, lasting);
      const words = redactor.redact(code && !text.includes(code) ? `${text} (${code})` : text);
      return new GitHubError(
        'unavailable',
        `GitHub did not answer ${nameOf(request)}: ${words}`,
        { service: request.service, typeName: '', transient: true },
        // The library's own error stays out: it carries the request, headers included.
        {
          cause: Object.assign(new Error(words), { code, lasting }),
          ...(hint !== undefined && { hint }),
        },
      );
    },
    ofPause(request, waitMs, why = 'GitHub asked for a pause') {
      const seconds = Math.ceil(waitMs / 1000);
      return new GitHubError('unavailable', `${nameOf(request)} was not sent: ${why}, ${seconds} s of it are left`, {
        service: request.service,
        typeName: '',
        transient: true,
        retryAfterMs: waitMs,
      });
    },
  };
}

/** Whether asking again at once could help: not when the connection itself is wrong, nor during a pause. */
export function isWorthRepeating(error: GitHubError): boolean {
  if (error.failure.status !== undefined || error.failure.retryAfterMs !== undefined) return false;
  return !(error.cause instanceof Error && 'lasting' in error.cause && error.cause.lasting === true);
}
