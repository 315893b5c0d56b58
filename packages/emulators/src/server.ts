import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type EmulatorClock, scopedClock } from './clock.js';
import { type Fault, FaultScript } from './faults.js';
import { type EmulatorRandom, realRandom } from './random.js';

/** One call as a handler sees it. */
export interface EmulatedRequest {
  /** The operation's name, as faults and the log use it. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Lower-case names; of a repeated header, the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Epoch milliseconds at which the call was complete. */
  readonly at: number;
  /** Aborts when the caller goes away or the server closes. */
  readonly signal: AbortSignal;
  /** Whether the emulator's own fault of this name strikes now. Asking uses it up. */
  special(name: string): boolean;
}

/** What a call is answered with. */
export interface EmulatedAnswer {
  readonly status: number;
  /** What stands after the status in its line, where the service says something of its own there. */
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer of JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): EmulatedAnswer {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body };
}

/** Thrown by a handler to answer with a refusal. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: EmulatedAnswer;

  constructor(answer: EmulatedAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** Something the server itself found wrong with a call. */
export interface Complaint {
  readonly status: number;
  readonly message: string;
  readonly path: string;
}

/** One kind of call. */
export interface Route {
  /** What faults and the log call it; a function where one path serves many operations. */
  readonly operation: string | ((body: string) => string);
  /** Whether it is the emulator's own, and no call of the service emulated. Faults strike it only by its name. */
  readonly own?: boolean;
  readonly method: string;
  /** Segments separated by `/`; one that begins with `:` takes any one segment and gives it that name. */
  readonly path: string;
  /** The query parameters it reads. Any other is answered with 400. */
  readonly query?: readonly string[];
  /** The headers it reads, lower case, besides those any HTTP client may send. Any other is answered with 400. */
  readonly headers?: readonly string[];
  /** Whether it takes a body. Where it takes none, a body is answered with 400. */
  readonly takesBody?: boolean;
  /** How a complaint of the server about this call is put; by default as the server's options say. */
  readonly refuse?: (complaint: Complaint) => EmulatedAnswer;
  readonly handle: (request: EmulatedRequest) => EmulatedAnswer | Promise<EmulatedAnswer>;
}

/** One line of the request log. */
export interface LoggedRequest {
  readonly at: number;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status it was answered with; absent while it is held, and for one that got no answer. */
  status?: number;
}

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly clock: EmulatorClock;
  readonly random?: EmulatorRandom;
  /** A port to listen on; by default a free one. */
  readonly port?: number;
  /** The certificate and key to serve HTTPS with, as PEM; HTTP without. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The largest body taken, in bytes. Default 1 MiB; a larger one is answered with 413. */
  readonly maxBodyBytes?: number;
  /** How many requests the log keeps, newest last. Default 5000. */
  readonly logLength?: number;
  /** How a complaint of the server itself is put. By default `{"message": ...}`. */
  readonly refuse?: (complaint: Complaint) => EmulatedAnswer;
}

/** A server on 127.0.0.1 that takes only what its routes read. */
export interface EmulatorServer {
  /** `http://127.0.0.1:<port>`, or `https://` with a certificate. */
  readonly url: string;
  readonly port: number;
  readonly faults: FaultScript;
  /** The last requests, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** How often each operation was called since the start, refused and struck calls included. */
  readonly counts: ReadonlyMap<string, number>;
  /** Errors of handlers that were no refusals: flaws of the emulator. */
  readonly failures: readonly Error[];
  /** Ends every connection and every timer, and stops listening. */
  close(): Promise<void>;
}

/** What an HTTP client sends by itself, and tracing. Everything else a route has to name. */
const ANY_CLIENT_SENDS: ReadonlySet<string> = new Set(
  (
    'accept accept-encoding accept-language cache-control connection content-length content-type date expect host keep-alive ' +
    'pragma sec-fetch-mode traceparent tracestate transfer-encoding user-agent'
  ).split(' '),
);

/** The operation of a call that no route takes. */
const NO_ROUTE = 'unknown';
const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
const DEFAULT_LOG_LENGTH = 5000;
/** Longer than clients keep idle connections, so that none finds its connection closed as it sends. */
const KEEP_ALIVE_MS = 120_000;
const BYTE_ORDER_MARK = '\u{feff}';

/** Starts a server on 127.0.0.1. */
export async function startServer(options: ServerOptions): Promise<EmulatorServer> {
  const clock = scopedClock(options.clock);
  const faults = new FaultScript(options.random ?? realRandom);
  const requests: LoggedRequest[] = [];
  const counts = new Map<string, number>();
  const failures: Error[] = [];
  const refuse = options.refuse ?? (({ status, message }) => json(status, { message }));
  const routes = options.routes.map((route) => ({ route, segments: splitPath(route.path) }));

  const log = (entry: LoggedRequest): void => {
    requests.push(entry);
    if (requests.length > (options.logLength ?? DEFAULT_LOG_LENGTH)) requests.shift();
    counts.set(entry.operation, (counts.get(entry.operation) ?? 0) + 1);
  };

  const answerCall = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const url = new URL(`http://127.0.0.1${request.url ?? '/'}`);
    const body = await readBody(request, options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
    const call = {
      method: request.method ?? '',
      path: url.pathname,
      headers: flatHeaders(request),
      body: body ?? '',
      at: clock.now(),
    };
    const found = findRoute(routes, call.method, call.path);
    const operation = found ? operationOf(found.route, call.body) : NO_ROUTE;
    const entry: LoggedRequest = { ...call, operation, query: url.search };
    log(entry);
    const send = (answer: EmulatedAnswer): void => {
      if (response.destroyed) return;
      entry.status = answer.status;
      writeAnswer(response, answer, clock.now());
    };
    const complain = found?.route.refuse ?? refuse;
    const complaint = found ? complaintAbout(found.route, call, url, body) : unknownPath(routes, call);
    if (!found || complaint) {
      send(complain(complaint ?? unknownPath(routes, call)));
      return;
    }
    const fault = faults.strike(operation, found.route.own);
    const handle = (): EmulatedAnswer | Promise<EmulatedAnswer> =>
      found.route.handle({
        ...call,
        operation,
        params: found.params,
        query: url.searchParams,
        signal: gone.signal,
        special: (name) => faults.strikeSpecial(operation, name),
      });
    await carryOut({ handle, fault, response, send, clock, failed: (error) => failures.push(error) });
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answerCall(request, response).catch(() => response.destroy());
  };
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  const port = await listen(server, options.port ?? 0);

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    faults,
    requests,
    counts,
    failures,
    close() {
      clock.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface Carrying {
  readonly handle: () => EmulatedAnswer | Promise<EmulatedAnswer>;
  readonly fault: Fault | undefined;
  readonly response: ServerResponse;
  readonly send: (answer: EmulatedAnswer) => void;
  readonly clock: EmulatorClock;
  readonly failed: (error: Error) => void;
}

async function carryOut({ handle, fault, response, send, clock, failed }: Carrying): Promise<void> {
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (fault?.kind === 'status' || fault?.kind === 'text' || fault?.kind === 'html') {
    send(faultyAnswer(fault));
    return;
  }
  if (fault?.kind === 'slow') await new Promise<void>((resolve) => void clock.after(fault.delayMs ?? 0, resolve));
  const answer = await outcome(handle, failed);
  switch (fault?.kind) {
    case 'lost':
      response.socket?.resetAndDestroy();
      return;
    case 'empty':
      send({ ...answer, headers: withoutContentType(answer.headers), body: '' });
      return;
    case 'bom':
      send({ ...answer, body: BYTE_ORDER_MARK + (answer.body ?? '') });
      return;
    default:
      send(answer);
  }
}

async function outcome(handle: Carrying['handle'], failed: (error: Error) => void): Promise<EmulatedAnswer> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    const failure = error instanceof Error ? error : new Error(String(error));
    failed(failure);
    return json(500, { message: `the emulator failed: ${failure.message}` });
  }
}

function faultyAnswer(fault: Fault): EmulatedAnswer {
  const retryAfter = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
  const headers = (type: string): Record<string, string> => ({ 'content-type': type, ...retryAfter, ...fault.headers });
  if (fault.kind === 'text') {
    return { status: fault.status ?? 500, headers: headers('text/plain'), body: fault.body ?? 'something went wrong' };
  }
  if (fault.kind === 'html') {
    const page =
      '<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body>\n</html>\n';
    return { status: fault.status ?? 502, headers: headers('text/html'), body: fault.body ?? page };
  }
  return {
    status: fault.status ?? 500,
    headers: headers(fault.contentType ?? 'application/json'),
    body: fault.body ?? '',
  };
}

function withoutContentType(headers: EmulatedAnswer['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== 'content-type'));
}

interface SplitRoute {
  readonly route: Route;
  readonly segments: readonly string[];
}

interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

function splitPath(path: string): string[] {
  return path.split('/').slice(1);
}

function findRoute(routes: readonly SplitRoute[], method: string, path: string): FoundRoute | undefined {
  for (const { route, segments } of routes) {
    const params = route.method === method ? matchPath(segments, path) : undefined;
    if (params) return { route, params };
  }
  return undefined;
}

function matchPath(segments: readonly string[], path: string): Record<string, string> | undefined {
  const given = splitPath(path);
  if (given.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decodeSegment(value);
    if (!decoded) return undefined;
    params[segment.slice(1)] = decoded;
  }
  return params;
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function operationOf(route: Route, body: string): string {
  return typeof route.operation === 'string' ? route.operation : route.operation(body);
}

function unknownPath(routes: readonly SplitRoute[], { method, path }: { method: string; path: string }): Complaint {
  const methods = routes.filter(({ segments }) => matchPath(segments, path)).map(({ route }) => route.method);
  if (methods.length > 0) return { status: 405, message: `${path} takes ${methods.join(', ')}, not ${method}`, path };
  return { status: 404, message: `there is no ${method} ${path}`, path };
}

function complaintAbout(
  route: Route,
  { path, headers }: { path: string; headers: Readonly<Record<string, string>> },
  url: URL,
  body: string | undefined,
): Complaint | undefined {
  if (body === undefined) return { status: 413, message: 'the body is too large', path };
  const wrong = (message: string): Complaint => ({ status: 400, message, path });
  for (const name of Object.keys(headers)) {
    if (!ANY_CLIENT_SENDS.has(name) && !route.headers?.includes(name))
      return wrong(`the header ${name} is not read here`);
  }
  const seen = new Set<string>();
  for (const name of url.searchParams.keys()) {
    if (!route.query?.includes(name)) return wrong(`the query parameter ${name} is not read here`);
    if (seen.has(name)) return wrong(`the query parameter ${name} is given twice`);
    seen.add(name);
  }
  if (body !== '' && !route.takesBody) return wrong('a body is not read here');
  return undefined;
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** The whole body as UTF-8 text; undefined when it is too large, in which case it is read to its end and dropped. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}

function writeAnswer(response: ServerResponse, answer: EmulatedAnswer, now: number): void {
  const body = Buffer.from(answer.body ?? '', 'utf8');
  const bodiless = answer.status === 204 || answer.status === 304;
  response.writeHead(answer.status, answer.reason, {
    date: new Date(now).toUTCString(),
    ...answer.headers,
    ...(!bodiless && { 'content-length': body.length }),
  });
  response.end(bodiless ? undefined : body);
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
