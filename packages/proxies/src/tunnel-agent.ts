import type { ClientRequest, AgentOptions as HttpAgentOptions } from 'node:http';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { limitTime, systemClock } from '@rungar/model';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { inAddress } from './host.js';
import type { ChooseProxy } from './proxies.js';
import { ProxyRefusal, ProxySilence } from './refusal.js';

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

/** How long a proxy has for making way. Its user may have given up before, of which nothing is heard here. */
const WAY_LIMIT_MS = 30_000;

/** Says what is wrong with the other end's certificate, where Node is not to judge it. */
export type Verify = (socket: TLSSocket) => Error | undefined;

/**
 * The agent of `https:` requests: each goes through the proxy, or directly where `proxyFor` says so. Unlike the
 * library's own it never lets a refusal of the proxy pass for an answer of the other end.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #proxyFor: ChooseProxy;
  readonly #verify: Verify | undefined;
  readonly #closing = new AbortController();

  constructor(proxy: URL, proxyFor: ChooseProxy, options: HttpAgentOptions, verify?: Verify) {
    super(proxy, options);
    Object.assign(this.options, { timeout: options.timeout }); // which the library forgets
    this.#proxyFor = proxyFor;
    this.#verify = verify;
  }

  override async connect(request: ClientRequest, given: ConnectOptions): Promise<Socket> {
    const options = this.#verify ? ({ ...given, rejectUnauthorized: false } as ConnectOptions) : given;
    const { host = '', port } = options;
    const proxied = this.#proxyFor(new URL(`https://${inAddress(host)}:${port}`)) !== undefined;
    const socket = proxied ? await this.#tunnel(request, options) : connect({ ...options, path: undefined });
    if (this.#verify) await judge(socket as TLSSocket, this.#verify);
    return socket;
  }

  async #tunnel(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    let status = 200;
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      status = statusCode;
    });
    const socket = await this.#connectInTime(request, options);
    if (status === 200) return socket;
    socket.destroy();
    throw new ProxyRefusal(this.proxy, status);
  }

  async #connectInTime(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const late = (): Error => new ProxySilence(this.proxy, WAY_LIMIT_MS);
    const limit = limitTime(systemClock, WAY_LIMIT_MS, late, this.#closing.signal);
    try {
      // The library opens its socket with these before it first waits.
      Object.assign(this.connectOpts, { signal: limit.signal });
      return await super.connect(request, options);
    } catch (error) {
      limit.signal.throwIfAborted();
      throw error;
    } finally {
      limit[Symbol.dispose]();
    }
  }

  /** Ends the ways that are being made too, of which Node's own agent knows nothing. */
  override destroy(): void {
    this.#closing.abort(new Error('the agent was destroyed'));
    super.destroy();
  }
}

/** Waits until the certificate is there, and ends the connection before a byte of a request where it is not good. */
function judge(socket: TLSSocket, verify: Verify): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const wrong = verify(socket);
      if (wrong) return fail(wrong);
      socket.off('error', fail);
      resolve();
    });
  });
}
