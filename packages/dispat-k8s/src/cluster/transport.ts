import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { type Clock, limitTime, messageOf } from '@rungar/model';
import { inputError } from '../problems.js';
import { type Attempt, NoAnswer } from './failures.js';
import type { ClientConfig } from './load-client.js';

/** One call, before credentials are added. */
export interface Call {
  readonly attempt: Attempt;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON, whatever {@link Call.contentType} calls it. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Whether the answer may take any time to begin. */
  readonly patient?: boolean;
}

/** How long an answer may take to begin. */
const ANSWER_LIMIT_MS = 30_000;

/** Dead peers are noticed by the system's own probes, so that a quiet watch may stay open. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Sends calls with the credentials of a kubeconfig. The client library chooses and renews those (tokens, certificates,
 * sign-in programs, proxies); the call itself is made here, because the library's own calls drop fields of an object
 * that it does not know, and lose why a watch or a log was refused.
 */
export class Transport {
  /** The API server's address. */
  readonly server: string;
  readonly #config: ClientConfig;
  readonly #clock: Clock;

  /** @throws InputError when the kubeconfig names no cluster */
  constructor(config: ClientConfig, clock: Clock) {
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) {
      throw inputError({
        code: 'OPTION_INVALID',
        at: 'kubeconfig',
        found: `the context ${JSON.stringify(config.getCurrentContext())} without a cluster`,
        allowed: 'a context whose cluster the kubeconfig describes',
        fix: 'choose another context with --context',
      });
    }
    this.server = server;
    this.#config = config;
    this.#clock = clock;
  }

  /**
   * Makes a call.
   * @returns the answer as soon as its head is there, whatever its status; its body ends with `signal`
   * @throws NoAnswer when none came; the signal's reason when that aborts
   */
  async send(call: Call, signal: AbortSignal): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const options = await this.#credentials();
    const limitMs = call.patient ? Number.POSITIVE_INFINITY : ANSWER_LIMIT_MS;
    using limit = limitTime(this.#clock, limitMs, () => new Error('it took too long'), signal);
    try {
      return await this.#exchange(call, options, limit.signal, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new NoAnswer(call.attempt, limit.expired ? new Error('it took too long') : error);
    }
  }

  async #credentials(): Promise<RequestOptions> {
    const options: RequestOptions = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw inputError({
        code: 'CLUSTER_FORBIDDEN',
        at: this.server,
        found: `credentials that cannot be used: ${messageOf(error)}`,
        allowed: 'a user that can sign in',
        fix: 'sign in again, or choose another context with --context',
      });
    }
    return options;
  }

  #exchange(call: Call, options: RequestOptions, untilHead: AbortSignal, whole: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(this.server + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const headers = {
      ...options.headers,
      accept: 'application/json',
      ...(body && { 'content-type': call.contentType ?? 'application/json', 'content-length': body.length }),
    };
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      const request = send(url, { ...options, method: call.method, headers });
      const stop = (): void => void request.destroy(new Error('stopped'));
      untilHead.addEventListener('abort', stop, { once: true });
      request.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
      request.on('error', reject);
      request.on('response', (response) => {
        untilHead.removeEventListener('abort', stop);
        const cut = (): void => void response.destroy(new Error('stopped'));
        whole.addEventListener('abort', cut, { once: true });
        response.on('close', () => whole.removeEventListener('abort', cut));
        if (whole.aborted) cut();
        resolve(response);
      });
      request.end(body);
    });
  }
}
