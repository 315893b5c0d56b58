import type { ClientRequest, AgentOptions as HttpAgentOptions } from 'node:http';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { inAddress } from './host.js';
import type { ChooseProxy } from './proxies.js';
import { ProxyRefusal } from './refusal.js';

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

/** Says what is wrong with the other end's certificate, where Node is not to judge it. */
export type Verify = (socket: TLSSocket) => Error | undefined;

/**
 * The agent of `https:` requests: each goes through the proxy, or directly where `proxyFor` says so. Unlike the
 * library's own it never lets a refusal of the proxy pass for an answer of the other end.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #proxyFor: ChooseProxy;
  readonly #verify: Verify | undefined;

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
    const socket = await super.connect(request, options);
    if (status === 200) return socket;
    socket.destroy();
    throw new ProxyRefusal(this.proxy, status);
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
