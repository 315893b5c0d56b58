import { decodeFault } from './wire/fault.js';

/** Which of GitHub's services a request goes to. Each sets a pace of its own. */
export type GitHubService = 'rest' | 'actions' | 'queue';

/** A request as errors and logs may name it. The query stays out: it may hold a secret. */
export interface RequestName {
  readonly service: GitHubService;
  readonly method: string;
  readonly path: string;
}

/** What a service answered, of whatever status. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The JSON of the body, else its text; the empty string where there was none. */
  readonly body: unknown;
}

/** Whether the service asks for patience or is in trouble of its own, so that the same request may work later. */
export function isTransient(answer: Answer): boolean {
  const { status } = answer;
  return status === 408 || status === 429 || (status >= 500 && status !== 501) || isRateLimited(answer);
}

/** Whether a 403 or 429 is about how often we asked, not about what. */
function isRateLimited(answer: Answer): boolean {
  if (answer.status === 429) return true;
  if (answer.status !== 403) return false;
  const { headers } = answer;
  return headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined || isSecondaryLimit(answer);
}

/** Whether an answer is about too many requests at a time, of which only its words tell. */
function isSecondaryLimit(answer: Answer): boolean {
  return /secondary rate limit|abuse detection/i.test(decodeFault(answer.body).message);
}

/** What GitHub's documentation asks for where a secondary limit does not say. */
const SECONDARY_LIMIT_MS = 60_000;

/** GitHub's windows last an hour. Whoever asks for more is no GitHub, or has a wrong clock: then it is asked again. */
const LONGEST_TOLD_WAIT_MS = 3_600_000;

/**
 * How long an answer asks to wait, in milliseconds, where it does: an hour at most.
 * @param serverNow GitHub's time in epoch milliseconds, for waits told as a date
 */
export function toldWaitMs(answer: Answer, serverNow: number): number | undefined {
  const wait = waitInWords(answer, serverNow);
  return wait === undefined ? undefined : Math.min(wait, LONGEST_TOLD_WAIT_MS);
}

function waitInWords(answer: Answer, serverNow: number): number | undefined {
  if (answer.status !== 503 && !isRateLimited(answer)) return undefined;
  const retryAfter = answer.headers['retry-after'];
  if (retryAfter !== undefined) {
    if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
    const until = Date.parse(retryAfter);
    if (!Number.isNaN(until)) return Math.max(0, until - serverNow);
  }
  const reset = answer.headers['x-ratelimit-reset'];
  if (answer.headers['x-ratelimit-remaining'] === '0' && reset !== undefined && /^\d+$/.test(reset)) {
    return Math.max(0, Number(reset) * 1000 - serverNow);
  }
  return isSecondaryLimit(answer) ? SECONDARY_LIMIT_MS : undefined;
}
