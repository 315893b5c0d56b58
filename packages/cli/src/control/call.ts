import { type IncomingMessage, request } from 'node:http';
import { type ErrorCode, RungarError } from '@rungar/model';
import { EXIT, ExitError } from '../exit.js';

/**
 * Asks the daemon over its socket, in the control API's JSON form: `node:http` loads in a tenth of the time that a
 * gRPC client takes (docs/reference/control-api.md).
 */
export interface ControlCall {
  readonly socket: string;
  /** `GetStatus` and so on. */
  readonly method: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

const SERVICE = '/rungar.v1.RungarService/';

/** The most of an answer that is read. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** One question, one answer. @throws RungarError with the daemon's own message, or ExitError 3 when there is none */
export async function call<T>({ socket, method, body = {}, signal }: ControlCall): Promise<T> {
  const response = await post(socket, method, 'application/json', Buffer.from(JSON.stringify(body)), signal);
  const answer = parse(await readAll(response, socket, signal));
  if (response.statusCode === 200 && answer !== undefined) return answer as T;
  throw daemonError(answer, `the daemon answered HTTP ${response.statusCode} to ${method}`);
}

/** One question, a stream of answers until the daemon or `signal` ends it. */
export async function* stream<T>({ socket, method, body = {}, signal }: ControlCall): AsyncGenerator<T> {
  const response = await post(socket, method, 'application/connect+json', frame(JSON.stringify(body)), signal);
  if (response.statusCode !== 200) {
    const answer = parse(await readAll(response, socket, signal));
    throw daemonError(answer, `the daemon answered HTTP ${response.statusCode} to ${method}`);
  }
  for await (const { last, text } of frames(chunks(response, socket, signal))) {
    const value = parse(text);
    if (!last) yield value as T;
    else if (isRecord(value) && isRecord(value.error)) throw daemonError(value.error, `the daemon ended ${method}`);
    else return;
  }
  throw gone(socket);
}

/** A message of Connect's streaming form: a flag byte, the length in four, the text. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** The flag of the last message, which says how the stream ended. */
const END_OF_STREAM = 0b10;

async function* frames(parts: AsyncIterable<Buffer>): AsyncGenerator<{ last: boolean; text: string }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of parts) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const end = 5 + rest.readUInt32BE(1);
      if (rest.length < end) break;
      yield { last: ((rest[0] ?? 0) & END_OF_STREAM) !== 0, text: rest.toString('utf8', 5, end) };
      rest = rest.subarray(end);
    }
  }
}

function post(
  socket: string,
  method: string,
  type: string,
  body: Buffer,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': body.length, 'connect-protocol-version': '1' };
    // Without a name for TLS, which a socket has no need of, Node would find one: its rules for IPv6 take 10 ms to make.
    const options = { socketPath: socket, path: SERVICE + method, method: 'POST', headers, signal, servername: '' };
    const asked = request(options, resolve);
    asked.on('error', (error: NodeJS.ErrnoException) =>
      reject(signal.aborted ? signal.reason : unreachable(socket, error)),
    );
    asked.end(body);
  });
}

function unreachable(socket: string, error: NodeJS.ErrnoException): ExitError {
  switch (error.code) {
    case 'ENOENT':
      return new ExitError(
        EXIT.noDaemon,
        `there is no socket at "${socket}"`,
        'start the daemon with `rungar serve`, or name its socket with --socket or RUNGAR_SOCKET',
      );
    case 'EACCES':
    case 'EPERM':
      return new ExitError(
        EXIT.noDaemon,
        `the socket "${socket}" cannot be used`,
        'run this as root or as a member of the "rungar" group',
      );
    default:
      return new ExitError(
        EXIT.noDaemon,
        `the daemon cannot be reached at "${socket}" (${error.code ?? error.message})`,
        'see whether it runs',
      );
  }
}

async function readAll(response: IncomingMessage, socket: string, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks(response, socket, signal)) {
    size += chunk.length;
    if (size > ANSWER_LIMIT) throw new RungarError('internal', 'the daemon answered with more than 64 MiB');
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** An answer as it arrives. @throws the signal's reason, or ExitError 3 when the connection breaks */
async function* chunks(response: IncomingMessage, socket: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof RungarError ? error : gone(socket);
  }
}

function gone(socket: string): ExitError {
  return new ExitError(
    EXIT.noDaemon,
    `the daemon at "${socket}" has gone before its answer was complete`,
    'see whether it still runs',
  );
}

function parse(text: string): unknown {
  try {
    // A large answer is walked through only where there is something to take out.
    return COMMANDING_JSON.test(text) ? JSON.parse(text, harmless) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Control characters but the tab and the end of a line, as they stand in JSON: plain, or spelled out. */
const COMMANDING_JSON = /\\u00[0189]|\\u007f|\\[bfr]|[\u007f-\u009f]/i;
const COMMANDING = /[^\P{Cc}\t\n]/gu;

/** The name of a job is its author's, who may be a stranger: it must not command the terminal it is shown on. */
function harmless(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(COMMANDING, '\ufffd') : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Connect's words for what went wrong, as the classes they stand for. */
const CLASSES: Readonly<Record<string, ErrorCode>> = {
  not_found: 'not_found',
  invalid_argument: 'invalid_argument',
  failed_precondition: 'busy',
  resource_exhausted: 'no_capacity',
  unavailable: 'unavailable',
};

function daemonError(answer: unknown, otherwise: string): RungarError {
  if (!isRecord(answer)) return new RungarError('internal', otherwise);
  const message = typeof answer.message === 'string' && answer.message !== '' ? answer.message : otherwise;
  return new RungarError(CLASSES[String(answer.code)] ?? 'internal', message);
}
