import { createServer, type Socket } from 'node:net';
import { type Clock, type Logger, limitTime } from '@rungar/model';
import { bindSocket } from './socket.js';

/** How long a new connection may take to show which protocol it speaks. */
const FIRST_BYTES_LIMIT_MS = 5_000;

export interface ControlServerOptions {
  /** The socket's path. */
  readonly path: string;
  /** Loads what answers. */
  load(): Promise<Answering>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Sets the process's file mode mask and gives the one before. */
  umask(mask: number): number;
}

/** What answers calls. */
export interface Answering {
  /** Answers whatever comes over a connection that has been read nothing of, and does not flow yet. */
  take(connection: Socket, protocol: Protocol): void;
  /** Handlers are told to stop, and are waited for with their answers. */
  close(): Promise<void>;
}

export type Protocol = 'http1' | 'http2';

export interface ControlServer {
  /** Loads what answers, if no call has done so. Where that fails, the next call tries again. */
  prepare(): Promise<void>;
  /** Answers no more: handlers are told to stop and are waited for, then every connection is dropped. */
  close(): Promise<void>;
}

/**
 * Serves the control API on a Unix socket. What answers is loaded by the first call at the latest: a start has no need of it,
 * and would take a quarter longer.
 * @throws RungarError when the socket cannot be had
 */
export async function serveControl(options: ControlServerOptions): Promise<ControlServer> {
  const { path, clock, logger } = options;
  const connections = new Set<Socket>();

  let loading: Promise<Answering> | undefined;
  const load = (): Promise<Answering> => {
    loading ??= options.load().catch((error: unknown) => {
      loading = undefined;
      logger.error('Nothing can be answered at the socket', { socket: path, error });
      throw error;
    });
    return loading;
  };

  const server = createServer((connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    connection.on('error', (error) => logger.debug('A connection to the socket failed', { error }));
    const give = async (): Promise<void> => {
      const [answering, protocol] = await Promise.all([load(), protocolOf(connection, clock)]);
      answering.take(connection, protocol);
    };
    give().catch(() => connection.destroy());
  });
  const socket = await bindSocket(server, path, options);
  server.on('error', (error) => logger.error('The socket stopped serving', { socket: path, error }));

  return {
    async prepare() {
      await load();
    },
    async close() {
      const closed = socket.close();
      const answering = await loading?.catch(() => undefined);
      await answering?.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** What an HTTP/2 connection begins with. No request of HTTP/1.1 does. */
const HTTP2_START = Buffer.from('PRI');

/**
 * Which protocol a connection speaks, by its first bytes. They are read when the connection says that it is readable and
 * put back: an HTTP/2 server takes no connection that is flowing already. A connection that is closed first has none.
 */
function protocolOf(connection: Socket, clock: Clock): Promise<Protocol> {
  const limit = limitTime(clock, FIRST_BYTES_LIMIT_MS, () => new Error('no request came'));
  const onLimit = (): void => void connection.destroy();
  limit.signal.addEventListener('abort', onLimit);
  connection.once('close', () => limit[Symbol.dispose]());
  let seen = Buffer.alloc(0);

  return new Promise((resolve) => {
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
      resolve(mayBeHttp2 ? 'http2' : 'http1');
    };
    connection.once('readable', look);
  });
}
