import { unlink } from 'node:fs/promises';
import {
  constants,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { makeCertificate, type SelfMadeCertificate } from '../certificate.js';
import type { EmulatorClock } from '../clock.js';
import type { EmulatorRandom } from '../random.js';

/** How connections over TCP are secured. */
export interface TlsOptions {
  /** What the daemon's certificate is for. Default `127.0.0.1` and `localhost`. */
  readonly names?: readonly string[];
  /** Whether a client has to show a certificate. Default: it has to. */
  readonly clientCertificate?: boolean;
}

/** What a client needs to be let in. */
export interface ClientTls {
  /** The daemon's certificate, which is its own authority. PEM. */
  readonly ca: string;
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface WireOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly port: number;
  /** A Unix socket to listen on, in place of a port. */
  readonly socketPath?: string;
  readonly tls?: TlsOptions;
  /** A client that pings more often is sent away, as gRPC servers do. In milliseconds. */
  readonly minPingIntervalMs: number;
  readonly handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
}

/** Pings that come too early before the client is sent away. */
const MOST_EARLY_PINGS = 2;

/** The daemon's listener: HTTP/2 in the clear or over TLS 1.3, on a port of 127.0.0.1 or a Unix socket. */
export class Wire {
  readonly #options: WireOptions;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #own: SelfMadeCertificate | undefined;
  #client: SelfMadeCertificate | undefined;
  #connections = 0;
  #pings = 0;

  constructor(options: WireOptions) {
    this.#options = options;
    const { tls, random } = options;
    if (tls) {
      this.#own = makeCertificate(tls.names ?? ['localhost', '127.0.0.1'], random);
      this.#client = makeCertificate(['client'], random);
    }
    this.#server = tls ? createSecureServer(this.#secureOptions(tls)) : createServer();
    this.#server.on('request', options.handle);
    this.#server.on('session', (session) => this.#watch(session));
    this.#server.on('sessionError', () => {}); // a client that went away in the middle of something
  }

  async listen(): Promise<void> {
    const { socketPath, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      const done = (): void => {
        this.#server.removeListener('error', reject);
        resolve();
      };
      if (socketPath === undefined) this.#server.listen(port, '127.0.0.1', done);
      else this.#server.listen(socketPath, done);
    });
  }

  /** Where it listens, as an `address` of a configuration. */
  get address(): string {
    const { socketPath } = this.#options;
    return socketPath === undefined
      ? `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
      : `unix://${socketPath}`;
  }

  get clientTls(): ClientTls | undefined {
    if (!this.#own || !this.#client) return undefined;
    return { ca: this.#own.cert, cert: this.#client.cert, key: this.#client.key };
  }

  /** Connections that have been made since the start. */
  get connections(): number {
    return this.#connections;
  }

  /** Pings that have been received since the start. */
  get pings(): number {
    return this.#pings;
  }

  /** From now on another client certificate is let in, and the old one is not. */
  renewClient(): void {
    const { tls, random } = this.#options;
    if (!tls || !('setSecureContext' in this.#server)) throw new Error('the emulator does not speak TLS');
    this.#client = makeCertificate(['client'], random);
    this.#server.setSecureContext(this.#secureOptions(tls));
  }

  /** Cuts every connection. */
  dropConnections(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Asks every client to go on over another connection, and lets calls in flight end. */
  sendAway(): void {
    for (const session of this.#sessions) session.close();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    await closed;
    const { socketPath } = this.#options;
    if (socketPath !== undefined) await unlink(socketPath).catch(() => {}); // it goes by itself with the server
  }

  #secureOptions({ clientCertificate = true }: TlsOptions) {
    return {
      cert: this.#own?.cert,
      key: this.#own?.key,
      minVersion: 'TLSv1.3',
      ...(clientCertificate && { ca: this.#client?.cert, requestCert: true, rejectUnauthorized: true }),
    } as const;
  }

  #watch(session: ServerHttp2Session): void {
    this.#connections += 1;
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', () => {});
    (session.socket as TLSSocket).on('error', () => {});
    const { clock, minPingIntervalMs } = this.#options;
    let early = 0;
    let last = Number.NEGATIVE_INFINITY;
    session.on('ping', () => {
      this.#pings += 1;
      if (clock.now() - last < minPingIntervalMs) early += 1;
      last = clock.now();
      if (early <= MOST_EARLY_PINGS) return;
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
      session.close();
    });
  }
}
