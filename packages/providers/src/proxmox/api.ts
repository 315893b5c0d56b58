import { STATUS_CODES } from 'node:http';
import { type Clock, isRungarError, messageOf, type Redactor } from '@rungar/model';
import { isCertificateCode } from '../shared/certificate-codes.js';
import { withinLimit } from '../shared/within-limit.js';
import { PveError, refusalOf } from './errors.js';
import { OTHER_CERTIFICATE } from './pinned-agent.js';
import type { PveReply, PveRequest, Transport } from './transport.js';

export type Params = Readonly<Record<string, string>>;

/** What the provider asks of a cluster. Every call ends within the provider's time limit. */
export interface Pve {
  /**
   * Each gives the `data` of the answer.
   * @throws PveError; the signal's reason when it aborts
   */
  get(path: string, signal: AbortSignal, query?: Params): Promise<unknown>;
  post(path: string, signal: AbortSignal, form?: Params): Promise<unknown>;
  put(path: string, signal: AbortSignal, form: Params): Promise<unknown>;
  delete(path: string, signal: AbortSignal, query?: Params): Promise<unknown>;
  /** How far the cluster's clock is ahead of this host's, in milliseconds, by the last answer. */
  readonly clockOffsetMs: number | undefined;
  close(): void;
}

export interface PveOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
}

function isCertificate(code: string): boolean {
  return code === OTHER_CERTIFICATE || isCertificateCode(code);
}

/** What says that there never was a connection a call could have gone over. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** The path of a VM, with what follows it. */
export function vmPath(node: string, vmid: number, rest = ''): string {
  return `nodes/${encodeURIComponent(node)}/qemu/${vmid}${rest}`;
}

/** The calls of the API over a transport. */
export function pveOver({ transport, clock, redactor, timeoutMs }: PveOptions): Pve {
  let clockOffsetMs: number | undefined;

  const ask = async (request: PveRequest, signal: AbortSignal): Promise<unknown> => {
    const what = `${request.method} ${request.path}`;
    let reply: PveReply;
    try {
      reply = await withinLimit(clock, timeoutMs, what, signal, (own) => transport.send(request, own));
    } catch (error) {
      signal.throwIfAborted();
      throw isRungarError(error) ? new PveError('unanswered', error.message) : toPveError(error, what, redactor);
    }
    const date = Date.parse(reply.date ?? '');
    if (!Number.isNaN(date)) clockOffsetMs = date - clock.wallNow();
    if (reply.status >= 200 && reply.status < 300) return dataOf(reply, what);
    throw new PveError(refusalOf(reply.status), redactor.redact(textOf(reply)), { status: reply.status });
  };

  return {
    get: (path, signal, params = {}) => ask({ method: 'GET', path, params }, signal),
    post: (path, signal, params = {}) => ask({ method: 'POST', path, params }, signal),
    put: (path, signal, params) => ask({ method: 'PUT', path, params }, signal),
    delete: (path, signal, params = {}) => ask({ method: 'DELETE', path, params }, signal),
    get clockOffsetMs() {
      return clockOffsetMs;
    },
    close: () => transport.close(),
  };
}

/** The transport's own error is not kept: it carries the request, token and all. */
function toPveError(error: unknown, what: string, redactor: Redactor): PveError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = redactor.redact(messageOf(error)) || code;
  const hint = isCertificate(code)
    ? "set tls.ca_file to the cluster's authority, or tls.fingerprint to the SHA-256 of its certificate"
    : undefined;
  const refusal = UNSENT_CODES.has(code) || isCertificate(code) ? 'unsent' : 'unanswered';
  return new PveError(refusal, `${what}: ${text}`, { ...(hint !== undefined && { hint }) });
}

/** A body that is no envelope of Proxmox VE's says nothing, and never "nothing is there". */
function dataOf({ body }: PveReply, what: string): unknown {
  const answer = parseObject(body);
  if (answer === undefined || !Object.hasOwn(answer, 'data')) {
    throw new PveError('unanswered', `${what}: the answer is not one of Proxmox VE`);
  }
  return answer.data;
}

/** What Proxmox VE says is wrong: in the status line, in `message`, and for each parameter in `errors`. */
function textOf({ status, reason, body }: PveReply): string {
  const { message, errors } = parseObject(body) ?? {};
  let text = reason || STATUS_CODES[status] || `HTTP ${status}`;
  if (typeof message === 'string' && message.trim() !== '' && !text.includes(message.trim())) {
    text += `: ${message.trim()}`;
  }
  const details = typeof errors === 'object' && errors !== null ? Object.entries(errors) : [];
  for (const [key, detail] of details.sort(([a], [b]) => (a < b ? -1 : 1)))
    text += `; ${key}: ${String(detail).trim()}`;
  return text;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
