import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { Code, ConnectError } from '@connectrpc/connect';
import type { GrpcTransportOptions } from '@connectrpc/connect-node';
import { type Clock, type Logger, limitTime, type Random, RungarError } from '@rungar/model';
import { type ChooseProxy, createChooseProxy, openTunnel, type ProxySettings } from '@rungar/proxies';
import { NotConnected } from './errors.js';
import { LiveSession } from './live-session.js';
import type { DicerAddress, DicerTls } from './settings.js';
import { readTlsMaterial, type TlsMaterial } from './tls.js';

/** How failed connects are spaced: as gRPC's own clients do, but for the longest pause. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.6;
const LONGEST_PAUSE_MS = 10_000;
const JITTER = 0.2;
const LEAST_CONNECT_MS = 5_000;

/** How much may be under way to us, so that a listing of many MiB does not wait for every 64 KiB to be acknowledged. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** How long a connection over TCP may be silent before it is asked whether it still stands. */
const PING_AFTER_MS = 30_000;

export interface ConnectionOptions {
  readonly target: DicerAddress;
  readonly tls?: DicerTls;
  readonly proxies: ProxySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

type SessionManager = NonNullable<GrpcTransportOptions['sessionManager']>;

/** One connection to a Dicer daemon at a time, made when it is needed. */
export interface Connection extends SessionManager {
  /** Ends it, and every call on it. */
  close(): void;
}

/** Where requests go, as a URL: what is used of it is its scheme and its host. */
export function baseUrlOf(target: DicerAddress, tls: DicerTls | undefined): string {
  if (target.kind === 'socket') return 'http://localhost';
  return `${tls ? 'https' : 'http'}://${hostInUrl(target.host)}:${target.port}`;
}

function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Keeps a connection as gRPC's clients do. The files of `tls` are read again for every connection, so a renewed
 * certificate is used without a restart. After a failed connect calls fail at once until the pause is over.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { clock, random, logger, target, tls } = options;
  const proxyFor: ChooseProxy = target.kind === 'socket' ? () => undefined : createChooseProxy(options.proxies);
  const authority = new URL(baseUrlOf(target, tls)).origin;
  const end = new AbortController();
  const open = new Set<LiveSession>();
  /** What new calls go over, or will. */
  let current: Promise<LiveSession> | undefined;
  /** The same, once it stands. */
  let live: LiveSession | undefined;
  let failure: { readonly error: NotConnected; readonly retryAt: number } | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let pingAfterMs = PING_AFTER_MS;

  const forget = (session: LiveSession): void => {
    if (session !== live) return;
    live = undefined;
    current = undefined;
  };

  const attempt = async (): Promise<LiveSession> => {
    const begunAt = clock.now();
    const limit = limitTime(clock, Math.max(LEAST_CONNECT_MS, pauseMs), () => tooLong(options), end.signal);
    try {
      const material = tls && (await readTlsMaterial(tls, limit.signal));
      const tunnel = await tunnelTo(target, proxyFor, limit.signal);
      const http2 = await connect(authority, socketTo(target, tls, material, tunnel), limit.signal);
      failure = undefined;
      pauseMs = FIRST_PAUSE_MS;
      return adopt(http2);
    } catch (error) {
      end.signal.throwIfAborted();
      const jitter = 1 + JITTER * (2 * random.fraction() - 1);
      failure = { error: new NotConnected('no connection', { cause: error }), retryAt: begunAt + pauseMs * jitter };
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS);
      throw failure.error;
    } finally {
      limit[Symbol.dispose]();
    }
  };

  const adopt = (http2: ClientHttp2Session): LiveSession => {
    const session = new LiveSession(http2, clock, (toldOfTooManyPings) => {
      forget(session);
      if (!toldOfTooManyPings) return;
      pingAfterMs *= 2;
      logger.warn('the Dicer daemon wants fewer pings', { pingAfterMs });
    });
    live = session;
    open.add(session);
    http2.once('close', () => open.delete(session));
    if (target.kind === 'tcp') void session.keepAlive(() => pingAfterMs);
    return session;
  };

  const ready = (): Promise<LiveSession> => {
    end.signal.throwIfAborted();
    if (current) return current;
    if (failure && clock.now() < failure.retryAt) throw failure.error;
    const mine = attempt();
    current = mine;
    mine.catch(() => {
      if (current === mine) current = undefined;
    });
    return mine;
  };

  return {
    authority,
    async request(method, path, headers, requestOptions) {
      for (;;) {
        const session = await ready();
        const stream = session.request({ ...headers, ':method': method, ':path': path }, requestOptions);
        if (stream) return stream;
        forget(session); // it ended as we turned to it
      }
    },
    notifyResponseByteRead(stream) {
      for (const session of open) session.heard(stream);
    },
    close() {
      end.abort(new RungarError('unavailable', 'the connection was closed'));
      for (const session of open) session.destroy(new ConnectError('the connection was closed', Code.Unavailable));
    },
  };
}

function tooLong({ target }: ConnectionOptions): Error {
  const where = target.kind === 'socket' ? target.path : `${target.host}:${target.port}`;
  return new Error(`${where} did not take a connection in time`);
}

/** A way through a proxy, where there is one on the way: that of `HTTPS_PROXY`, as gRPC's own clients have it. */
async function tunnelTo(target: DicerAddress, proxyFor: ChooseProxy, signal: AbortSignal): Promise<Socket | undefined> {
  if (target.kind === 'socket') return undefined;
  const proxy = proxyFor(new URL(`https://${hostInUrl(target.host)}:${target.port}`));
  return proxy && (await openTunnel(proxy, target.host, target.port, signal));
}

function socketTo(
  target: DicerAddress,
  tls: DicerTls | undefined,
  material: TlsMaterial | undefined,
  tunnel: Socket | undefined,
): Socket {
  if (target.kind === 'socket') return connectTcp(target.path);
  const { host, port } = target;
  if (!tls) return tunnel ?? connectTcp({ host, port });
  const name = tls.serverName ?? host;
  return connectTls({
    ...(tunnel ? { socket: tunnel } : { host, port }),
    ...material,
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    minVersion: 'TLSv1.3',
    ALPNProtocols: ['h2'],
  });
}

/**
 * Connects, and waits for the daemon's first words: only they show that it has taken our certificate. A refusal of it
 * is told to the socket alone.
 */
function connect(authority: string, socket: Socket, signal: AbortSignal): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const settings = { enablePush: false, initialWindowSize: WINDOW_BYTES };
    const session = connectHttp2(authority, { createConnection: () => socket, settings });
    let isSettled = false;
    const settle = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      signal.removeEventListener('abort', abandon);
      return true;
    };
    const fail = (error: unknown): void => {
      if (!settle()) return; // one that breaks later is told by its calls
      session.destroy();
      reject(error as Error);
    };
    const abandon = (): void => fail(signal.reason);
    const closed = (): void => fail(closedAtOnce('encrypted' in socket));
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    for (const end of [socket, session]) end.on('error', fail).once('close', closed);
    session.once('remoteSettings', () => {
      if (!settle()) return;
      session.setLocalWindowSize(WINDOW_BYTES);
      resolve(session);
    });
  });
}

function closedAtOnce(isEncrypted: boolean): Error {
  const message = 'the connection was closed before the Dicer daemon said anything';
  if (!isEncrypted) return new Error(message);
  const hint = 'Look in its log: it may not trust the certificate in tls.cert_file';
  return new RungarError('unavailable', message, { hint });
}
