import { createSign } from 'node:crypto';
import type { EmulatedApp } from '../src/github/credentials.js';
import type { GitHubEmulator } from '../src/github/emulator.js';
import { encodeJitConfig } from '../src/machine/jit-config.js';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined where it is none. */
  readonly json: Record<string, unknown>;
}

export interface RawCall {
  readonly method?: string;
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** One HTTP call with plain fetch. */
export async function call(
  url: string,
  { method = 'GET', authorization, headers, body, signal }: RawCall = {},
): Promise<RawAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A JWT of an App: by default as GitHub's guide describes it, seconds counted from `nowMs`. */
export function appJwt(app: EmulatedApp, nowMs: number, claims: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(nowMs / 1000);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: app.clientId, iat: now - 60, exp: now + 480, ...claims })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(app.privateKey).toString('base64url')}`;
}

/** The Actions service as an authorised caller sees it. */
export interface RawService {
  readonly admin: string;
  readonly base: string;
  /** A call below the tenant's URL, with the admin token and the API version. */
  service(method: string, path: string, body?: unknown, more?: RawCall): Promise<RawAnswer>;
}

/** Goes from a personal access token to the Actions service of a scope. */
export async function connect(github: GitHubEmulator, scope = 'acme'): Promise<RawService> {
  const prefix = scope.startsWith('enterprises/') ? scope : scope.includes('/') ? `repos/${scope}` : `orgs/${scope}`;
  const registration = await call(`${github.url}/api/v3/${prefix}/actions/runners/registration-token`, {
    method: 'POST',
    authorization: `Bearer ${github.createToken()}`,
  });
  const { json } = await call(`${github.url}/api/v3/actions/runner-registration`, {
    method: 'POST',
    authorization: `RemoteAuth ${String(registration.json.token)}`,
    body: { url: `${github.url}/${scope}`, runner_event: 'register' },
  });
  const base = String(json.url);
  const admin = String(json.token);
  return {
    admin,
    base,
    service: (method, path, body, more = {}) =>
      call(`${base}${path}${path.includes('?') ? '&' : '?'}api-version=6.0-preview`, {
        method,
        authorization: `Bearer ${admin}`,
        ...(body !== undefined && { body }),
        ...more,
      }),
  };
}

/** A session as the wire has it, with the queue calls on it. */
export interface RawSession {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly statistics: Record<string, number>;
  poll(options?: PollOptions): Promise<RawMessage>;
  acknowledge(messageId: number): Promise<RawAnswer>;
}

export interface PollOptions {
  readonly capacity?: number;
  readonly lastMessageId?: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawMessage extends RawAnswer {
  readonly id: number;
  readonly statistics: Record<string, number>;
  readonly entries: readonly Record<string, unknown>[];
}

export const SCALE_SETS = '_apis/runtime/runnerscalesets';

/** Opens a session on a scale set. */
export async function openSession(
  { service }: RawService,
  scaleSetId: number,
  ownerName = 'a-listener',
): Promise<RawSession> {
  const answer = await service('POST', `${SCALE_SETS}/${scaleSetId}/sessions`, { ownerName });
  if (answer.status !== 200) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return sessionFrom(answer.json);
}

/** The session in the answer to its creation or its refresh. */
export function sessionFrom(json: Record<string, unknown>): RawSession {
  const url = String(json.messageQueueUrl);
  const token = String(json.messageQueueAccessToken);
  return {
    id: String(json.sessionId),
    url,
    token,
    statistics: json.statistics as Record<string, number>,
    poll: ({ capacity = 10, lastMessageId, signal, headers } = {}) =>
      poll(lastMessageId === undefined ? url : `${url}&lastMessageId=${lastMessageId}`, {
        authorization: `Bearer ${token}`,
        headers: {
          accept: 'application/json; api-version=6.0-preview',
          'x-scalesetmaxcapacity': String(capacity),
          ...headers,
        },
        ...(signal && { signal }),
      }),
    acknowledge: (messageId) =>
      call(url.replace('?', `/${messageId}?`), { method: 'DELETE', authorization: `Bearer ${token}` }),
  };
}

async function poll(url: string, options: RawCall): Promise<RawMessage> {
  const answer = await call(url, options);
  const { messageId, statistics, body } = answer.json;
  return {
    ...answer,
    id: Number(messageId),
    statistics: (statistics ?? {}) as Record<string, number>,
    entries: typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>[]) : [],
  };
}

/** A registered runner as the wire has it. */
export interface RawRunner {
  readonly id: number;
  readonly name: string;
  readonly encodedJITConfig: string;
}

/** Registers a runner. */
export async function registerRunner({ service }: RawService, scaleSetId: number, name: string): Promise<RawRunner> {
  const { json } = await service('POST', `${SCALE_SETS}/${scaleSetId}/generatejitconfig`, { name, workFolder: '' });
  const { id } = json.runner as { id: number };
  return { id, name, encodedJITConfig: String(json.encodedJITConfig) };
}

/** A configuration that nobody minted. */
export function forgedJitConfig(url: string): string {
  return encodeJitConfig({ serverUrl: `${url}/runners`, scaleSetId: 1, runnerId: 99, name: 'forged', secret: 'guess' });
}
