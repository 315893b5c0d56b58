import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { Code, ConnectError, type Interceptor, type ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type Clock, limitTime, type Redactor } from '@rungar/model';
import { RungarService } from '../../gen/rungar/v1/rungar_pb.js';
import { toConnectError } from './errors.js';
import type { Answering } from './server.js';

/** How long handlers are waited for at the end: they have been told to stop. */
const HANDLERS_LIMIT_MS = 10_000;

/** How long answers on their way out are waited for after that. */
const LAST_ANSWERS_LIMIT_MS = 1_000;

/** The largest request read: one that carries a configuration, of which 1 MiB is read, with its characters escaped. */
const REQUEST_LIMIT_BYTES = 4 * 1024 * 1024;

export interface AnsweringOptions {
  readonly service: ServiceImpl<typeof RungarService>;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** Answers the control API as gRPC, gRPC-web and Connect, over HTTP/2 and HTTP/1.1 alike. */
export function startAnswering({ service, clock, redactor }: AnsweringOptions): Answering {
  const shutdown = new AbortController();
  const handlers = new Set<Promise<unknown>>();
  const answers = new Set<Promise<unknown>>();

  const adapter = connectNodeAdapter({
    routes: (router) => void router.service(RungarService, service),
    interceptors: [tracking(handlers, redactor)],
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
  const servers = { http1: createHttp1Server(answer), http2: createHttp2Server(answer) };
  const sessions = new Set<ServerHttp2Session>();
  servers.http2.on('session', (session) => {
    sessions.add(session);
    const closed = new Promise<void>((resolve) => session.once('close', resolve));
    track(
      answers,
      closed.finally(() => sessions.delete(session)),
    );
  });

  return {
    take: (connection, protocol) => void servers[protocol].emit('connection', connection),
    async close() {
      shutdown.abort(new ConnectError('the daemon is stopping', Code.Unavailable));
      await settleWithin(handlers, HANDLERS_LIMIT_MS, clock);
      for (const session of sessions) session.close();
      await settleWithin(answers, LAST_ANSWERS_LIMIT_MS, clock);
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
