import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { Code, ConnectError, type Interceptor, type ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type Clock, type Logger, limitTime, type Redactor } from '@rungar/model';
import { RungarService } from '../../gen/rungar/v1/rungar_pb.js';
import { toConnectError } from './errors.js';
import { bindSocket } from './socket.js';

/** How long a new connection may take to show which protocol it speaks. */
const FIRST_BYTES_LIMIT_MS = 5_000;

/** How long handlers are waited for at the end: they have been told to stop. */
const HANDLERS_LIMIT_MS = 10_000;

/** How long answers on their way out are waited for after that. */
const LAST_ANSWERS_LIMIT_MS = 1_000;

/** The largest request read: one that carries a configuration, of which 1 MiB is read, with its characters escaped. */
const REQUEST_LIMIT_BYTES = 4 * 1024 * 1024;

export interface ControlServerOptions {
  /** The socket's path. */
  readonly path: string;
  readonly service: ServiceImpl<typeof RungarService>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Sets the process's file mode mask and gives the one before. */
  umask(mask: number): number;
}

export interface ControlServer {
  /** Answers no more: handlers are told to stop and are waited for, then every connection is dropped. */
  close(): Promise<void>;
}

/**
 * Serves the control API on a Unix socket as gRPC, gRPC-web and Connect, over HTTP/2 and HTTP/1.1 alike.
 * @throws RungarError when the socket cannot be had
 */
export async function serveControl(options: ControlServerOptions): Promise<ControlServer> {
  const { path, clock, logger } = options;
  const shutdown = new AbortController();
  const handlers = new Set<Promise<unknown>>();
  const answers = new Set<Promise<unknown>>();
  const connections = new Set<Socket>();

  const adapter = connectNodeAdapter({
    routes: (router) => void router.service(RungarService, options.service),
    interceptors: [tracking(handlers, options.redactor)],
    jsonOptions: { useProtoFieldName: true },
    readMaxBytes: REQUEST_LIMIT_BYTES,
    // Nothing leaves the host: compressing an answer would only cost both sides time.
    compressMinBytes: Number.POSITIVE_INFINITY,
    shutdownSignal: shutdown.signal,
  });
  const answer = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): void => {
    track(answers, new Promise<void>((resolve) => response.once('close', resolve)));
    // One handler for both: the adapter tells them apart itself.
    adapter(request as IncomingMessage, response as ServerResponse);
  };
  const http1 = createHttp1Server(answer);
  const http2 = createHttp2Server(answer);
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    const closed = new Promise<void>((resolve) => session.once('close', resolve));
    track(
      answers,
      closed.finally(() => sessions.delete(session)),
    );
  });

  const server = createServer((connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    connection.on('error', (error) => logger.debug('A connection to the socket failed', { error }));
    handOver(connection, { http1, http2 }, clock);
  });
  const socket = await bindSocket(server, path, options);
  server.on('error', (error) => logger.error('The socket stopped serving', { socket: path, error }));

  return {
    async close() {
      const closed = socket.close();
      shutdown.abort(new ConnectError('the daemon is stopping', Code.Unavailable));
      await settleWithin(handlers, HANDLERS_LIMIT_MS, clock);
      for (const session of sessions) session.close();
      await settleWithin(answers, LAST_ANSWERS_LIMIT_MS, clock);
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** Remembers handlers that have not returned, and gives their errors the form in which they are answered. */
function tracking(handlers: Set<Promise<unknown>>, redactor: Redactor): Interceptor {
  return (next) => (request) => {
    const answered = next(request).catch((error: unknown) => {
      throw toConnectError(error, redactor);
    });
    track(handlers, answered);
    return answered;
  };
}

function track(set: Set<Promise<unknown>>, promise: Promise<unknown>): void {
  const forget = (): void => void set.delete(promise);
  set.add(promise);
  promise.then(forget, forget);
}

async function settleWithin(promises: Iterable<Promise<unknown>>, ms: number, clock: Clock): Promise<void> {
  using limit = limitTime(clock, ms, () => new Error('time is up'));
  const over = new Promise<void>((resolve) => limit.signal.addEventListener('abort', () => resolve()));
  await Promise.race([Promise.allSettled(promises), over]);
}

/** What an HTTP/2 connection begins with. No request of HTTP/1.1 does. */
const HTTP2_START = Buffer.from('PRI');

/**
 * Gives a connection to the server that speaks its protocol, told by its first bytes. They are read when the
 * connection says that it is readable and put back: an HTTP/2 server takes no connection that is flowing already.
 */
function handOver(connection: Socket, servers: { http1: Server; http2: Server }, clock: Clock): void {
  const limit = limitTime(clock, FIRST_BYTES_LIMIT_MS, () => new Error('no request came'));
  const onLimit = (): void => void connection.destroy();
  limit.signal.addEventListener('abort', onLimit);
  connection.once('close', () => limit[Symbol.dispose]());
  let seen = Buffer.alloc(0);

  const look = (): void => {
    const chunk = connection.read() as Buffer | null;
    if (chunk) seen = Buffer.concat([seen, chunk]);
    const mayBeHttp2 = HTTP2_START.subarray(0, seen.length).equals(seen.subarray(0, HTTP2_START.length));
    if (mayBeHttp2 && seen.length < HTTP2_START.length && !connection.readableEnded) {
      connection.once('readable', look);
      return;
    }
    limit.signal.removeEventListener('abort', onLimit);
    limit[Symbol.dispose]();
    connection.unshift(seen);
    (mayBeHttp2 ? servers.http2 : servers.http1).emit('connection', connection);
  };
  connection.once('readable', look);
}
