import type { Exchange, WireAnswer, WireRequest } from '@rungar/github';
import type { Clock } from '@rungar/model';
import { GitHubScaleSet } from './github-jobs.js';
import { GitHubRunners } from './github-runners.js';

const CALL_MS = 100;
const JIT_MS = 200;
const POLL_MS = 50_000;
const HOUR_MS = 3_600_000;
const LIMIT = 5_000;
/** As long as GitHub's own. */
const JIT_CONFIG = 'eyJ'.repeat(867);

export const ORGANISATION = 'https://github.com/acme';
const ACTIONS = 'https://actions.githubusercontent.test/acme/';
const QUEUE = 'https://queue.githubusercontent.test/';

/** How one kind of call is answered at last. */
export type Operation =
  | 'installation_token'
  | 'admin_token'
  | 'list_runners'
  | 'scale_sets'
  | 'session'
  | 'poll'
  | 'acknowledge'
  | 'acquire'
  | 'register'
  | 'find_runner'
  | 'remove_runner';

/** A request that GitHub got, or an answer that it gave. */
export interface Seen {
  readonly operation: Operation;
  readonly at: number;
  /** Of an answer. */
  readonly status: number;
  /** Whether it counts against the REST API's budget. */
  readonly counted: boolean;
  readonly sentAt: number;
}

interface Handled {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = (value: unknown, status = 200): Handled => ({ status, body: JSON.stringify(value) });
const list = (value: readonly unknown[]): Handled => json({ count: value.length, value });

const REST: ReadonlySet<Operation> = new Set(['installation_token', 'admin_token', 'list_runners']);

/**
 * GitHub on a clock of its own, request for request as its client makes them, with the latencies the targets are
 * stated for.
 */
export class SimulatedService {
  readonly runners = new GitHubRunners();
  readonly scaleSets = new Map<string, GitHubScaleSet>();
  /** Every answer, oldest first. */
  readonly seen: Seen[] = [];
  /** Polls that were begun. */
  polls = 0;
  /** The longest time between an answer to a poll and the next poll of the same scale set. */
  longestSilenceMs = 0;
  /** Refuses calls: asked before each, with how many of its kind there were. */
  refuse: (operation: Operation, count: number) => Handled | undefined = () => undefined;
  readonly #clock: Clock;
  readonly #etags: boolean;
  readonly #counts = new Map<Operation, number>();
  readonly #polledAt = new Map<string, number>();
  #remaining = LIMIT;
  #resetAt: number;

  constructor(clock: Clock, scaleSets: readonly string[], etags = true) {
    this.#etags = etags;
    this.#clock = clock;
    this.#resetAt = clock.now() + HOUR_MS;
    for (const [at, name] of scaleSets.entries()) this.scaleSets.set(name, new GitHubScaleSet(at + 1, name, clock));
  }

  /** What others have left of the budget, and how long it has to last. */
  leave(remaining: number, untilResetMs: number): void {
    this.#remaining = remaining;
    this.#resetAt = this.#clock.now() + untilResetMs;
  }

  readonly exchange: Exchange = async (request, signal) => {
    const { url } = request;
    const operation = operationOf(request);
    const sentAt = this.#clock.now();
    const { status, body = '', headers = {} } = await this.#answer(operation, request, signal);
    const counted = REST.has(operation) && status !== 304;
    if (counted) this.#spend();
    const at = this.#clock.now();
    this.seen.push({ operation, at, status, counted, sentAt });
    const date = new Date(this.#clock.wallNow()).toUTCString();
    const budget = url.host === 'api.github.com' ? this.#budgetHeaders() : {};
    return { status, body, headers: { date, ...budget, ...headers } } satisfies WireAnswer;
  };

  async #answer(operation: Operation, request: WireRequest, signal: AbortSignal): Promise<Handled> {
    const count = (this.#counts.get(operation) ?? 0) + 1;
    this.#counts.set(operation, count);
    const refusal = this.refuse(operation, count);
    if (refusal) {
      await this.#clock.sleep(CALL_MS, signal);
      return refusal;
    }
    if (operation === 'poll') return this.#poll(request, signal);
    await this.#clock.sleep(operation === 'register' ? JIT_MS : CALL_MS, signal);
    return this.#handle(operation, request);
  }

  #handle(operation: Exclude<Operation, 'poll'>, request: WireRequest): Handled {
    const { method, url, body = '{}' } = request;
    const parts = url.pathname.split('/');
    switch (operation) {
      case 'installation_token':
      case 'admin_token':
        return this.#token(url.pathname);
      case 'list_runners':
        return this.#listRunners(request);
      case 'scale_sets': {
        const found = [...this.scaleSets.values()].filter(({ name }) => name === url.searchParams.get('name'));
        const named = found.map(({ id, name }) => ({ id, name, runnerGroupId: 1, labels: [{ name }] }));
        return list(named);
      }
      case 'session': {
        if (method === 'DELETE') return { status: 204 };
        const scaleSet = this.#withId(Number(parts.at(-2)));
        const { name: sessionId, statistics } = scaleSet;
        const messageQueueUrl = `${QUEUE}${sessionId}`;
        return json({ sessionId, messageQueueUrl, messageQueueAccessToken: `queue-of-${sessionId}`, statistics });
      }
      case 'acknowledge':
        this.#named(parts.at(-2)).acknowledge(Number(parts.at(-1)));
        return { status: 204 };
      case 'acquire':
        return list(JSON.parse(body) as unknown[]);
      case 'register': {
        const { name } = JSON.parse(body) as { name: string };
        const { id } = this.runners.register(name, this.#withId(Number(parts.at(-2))));
        return json({ runner: { id, name }, encodedJITConfig: JIT_CONFIG });
      }
      case 'find_runner': {
        const runner = this.runners.named(url.searchParams.get('agentName') ?? '');
        return list(runner ? [{ id: runner.id, name: runner.name, runnerScaleSetId: runner.scaleSet.id }] : []);
      }
      case 'remove_runner': {
        const runner = this.runners.withId(Number(parts.at(-1)));
        if (runner?.busy) return json({ typeName: 'AgentHasRunningJob', message: 'it runs a job' }, 400);
        if (runner) this.runners.remove(runner);
        return { status: 204 };
      }
    }
  }

  #token(path: string): Handled {
    const expiresAt = this.#clock.wallNow() + HOUR_MS;
    if (!path.endsWith('/runner-registration'))
      return json({ token: `token-${expiresAt}`, expires_at: new Date(expiresAt).toISOString() }, 201);
    const claims = Buffer.from(JSON.stringify({ exp: Math.floor(expiresAt / 1000) })).toString('base64url');
    return json({ url: ACTIONS, token: `e30.${claims}.signature` });
  }

  #listRunners({ url, headers }: WireRequest): Handled {
    const name = url.searchParams.get('name');
    const number = Number(url.searchParams.get('page') ?? 1);
    const { text, etag } = name === null ? this.runners.page(number) : this.runners.only(name);
    const last = this.runners.lastPage;
    const to = (page: number, rel: string): string => `<${url.origin}${url.pathname}?page=${page}>; rel="${rel}"`;
    const link = name === null && number < last ? { link: `${to(number + 1, 'next')}, ${to(last, 'last')}` } : {};
    const mark = this.#etags && { etag };
    if (mark && headers['if-none-match'] === etag) return { status: 304, headers: mark };
    return { status: 200, body: text, headers: { ...mark, ...link } };
  }

  async #poll({ url }: WireRequest, signal: AbortSignal): Promise<Handled> {
    const scaleSet = this.#named(url.pathname.split('/').at(-1));
    this.polls++;
    const before = this.#polledAt.get(scaleSet.name);
    if (before !== undefined) this.longestSilenceMs = Math.max(this.longestSilenceMs, this.#clock.now() - before);
    try {
      const after = Number(url.searchParams.get('lastMessageId') ?? 0);
      const message = await scaleSet.next(after, POLL_MS, signal);
      return message ? { status: 200, body: message.text } : { status: 202 };
    } finally {
      this.#polledAt.set(scaleSet.name, this.#clock.now());
    }
  }

  #named(name: string | undefined): GitHubScaleSet {
    const found = this.scaleSets.get(name ?? '');
    if (!found) throw new TypeError(`there is no scale set ${name}`);
    return found;
  }

  #withId(id: number): GitHubScaleSet {
    return this.#named([...this.scaleSets.values()].find((one) => one.id === id)?.name);
  }

  #spend(): void {
    this.#startWindow();
    this.#remaining = Math.max(0, this.#remaining - 1);
  }

  #startWindow(): void {
    if (this.#clock.now() < this.#resetAt) return;
    this.#resetAt += HOUR_MS;
    this.#remaining = LIMIT;
  }

  #budgetHeaders(): Readonly<Record<string, string>> {
    this.#startWindow();
    return {
      'x-ratelimit-limit': String(LIMIT),
      'x-ratelimit-remaining': String(this.#remaining),
      'x-ratelimit-reset': String(Math.ceil(this.#resetAt / 1000)),
    };
  }
}

const PATHS: readonly (readonly [string, RegExp, Operation])[] = [
  ['POST', /\/access_tokens$/, 'installation_token'],
  ['POST', /\/(registration-token|runner-registration)$/, 'admin_token'],
  ['GET', /^\/orgs\/acme\/actions\/runners$/, 'list_runners'],
  ['GET', /\/runnerscalesets$/, 'scale_sets'],
  ['POST', /\/sessions$/, 'session'],
  ['DELETE', /\/sessions\//, 'session'],
  ['POST', /\/acquirejobs$/, 'acquire'],
  ['POST', /\/generatejitconfig$/, 'register'],
  ['GET', /\/agents$/, 'find_runner'],
  ['DELETE', /\/agents\//, 'remove_runner'],
];

function operationOf({ method, url }: WireRequest): Operation {
  if (url.href.startsWith(QUEUE)) return method === 'GET' ? 'poll' : 'acknowledge';
  const found = PATHS.find(([verb, path]) => verb === method && path.test(url.pathname));
  if (!found) throw new TypeError(`${method} ${url.pathname} is not simulated`);
  return found[2];
}
