import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Where the proxy leads, and whom it lets through. */
export interface ProxyEmulatorOptions {
  /** Where requests and tunnels to a host lead: a port of this host. Whoever has none cannot be reached. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `USER:PASSWORD`, where the proxy wants them. */
  readonly credentials?: string;
}

/** An HTTP proxy on loopback, which leads hosts that do not exist to servers of this host. */
export interface ProxyEmulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What it was asked for, oldest first: `CONNECT HOST:PORT`, or the method and the host. */
  readonly asked: readonly string[];
  /** Answers everything with this status from now on, or, without one, as usual. */
  refuse(status: number | undefined): void;
  /** Stops listening, and ends its tunnels. */
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. */
export async function startProxyEmulator(options: ProxyEmulatorOptions): Promise<ProxyEmulator> {
  const proxy = new RunningProxy(options);
  await proxy.listen();
  return proxy;
}

class RunningProxy implements ProxyEmulator {
  readonly asked: string[] = [];
  readonly #options: ProxyEmulatorOptions;
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();
  #refusal: number | undefined;

  constructor(options: ProxyEmulatorOptions) {
    this.#options = options;
    this.#server = createServer((asked, answer) => this.#forward(asked, answer));
    this.#server.on('connect', (asked: IncomingMessage, socket: Duplex) => this.#tunnel(asked, socket));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  refuse(status: number | undefined): void {
    this.#refusal = status;
  }

  async close(): Promise<void> {
    for (const tunnel of this.#tunnels) tunnel.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const url = new URL(asked.url ?? '');
    this.asked.push(`${asked.method} ${url.host}`);
    const wrong = this.#wrongWith(asked, url.hostname);
    if (wrong !== undefined) {
      answer.writeHead(wrong).end();
      return;
    }
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = asked.headers;
    const { method } = asked;
    const port = this.#options.hosts[url.hostname];
    const onward = request({ host: '127.0.0.1', port, method, path: url.pathname + url.search, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }

  #tunnel(asked: IncomingMessage, socket: Duplex): void {
    this.asked.push(`CONNECT ${asked.url}`);
    const host = (asked.url ?? '').replace(/:\d+$/, '');
    const wrong = this.#wrongWith(asked, host);
    if (wrong !== undefined) {
      socket.end(`HTTP/1.1 ${wrong} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(this.#options.hosts[host] ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) {
      this.#tunnels.add(end);
      end.on('error', () => {});
      end.once('close', () => {
        this.#tunnels.delete(end);
        onward.destroy();
        socket.destroy();
      });
    }
  }

  /** The status to refuse a request with, if it is not to pass. */
  #wrongWith(asked: IncomingMessage, host: string): number | undefined {
    if (this.#refusal !== undefined) return this.#refusal;
    const { credentials, hosts } = this.#options;
    const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (wanted !== undefined && asked.headers['proxy-authorization'] !== wanted) return 407;
    return hosts[host] === undefined ? 502 : undefined;
  }
}
