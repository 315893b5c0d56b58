import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { type DescMessage, type MessageShape, toJsonString } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { Code, ConnectError, type ContextValues, createContextKey, createContextValues } from '@connectrpc/connect';
import type { EmulatorClock } from '../clock.js';
import { type Fault, FaultScript } from '../faults.js';
import type { EmulatorRandom } from '../random.js';
import { Refusals } from './refusals.js';
import { assertAllKnown } from './strict.js';

/** One line of the call log. */
export interface LoggedCall {
  /** Epoch milliseconds. */
  readonly at: number;
  /** `CreateInstance`, for example. */
  readonly method: string;
  /** What was sent, as JSON. */
  readonly request: string;
  /** The code it was refused with. */
  refused?: string;
}

/** One call, from its first byte on. */
interface Call {
  readonly method: string;
  readonly fault: Fault | undefined;
  readonly response: Http2ServerResponse;
}

export interface CallsOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  /** How long an answer waits, by method, in milliseconds. */
  readonly latency: Readonly<Record<string, number>>;
}

const SERVICE = '/dicerd.v1.DaemonService/';
const CALL = createContextKey<Call | undefined>(undefined, { description: 'the call of the emulator' });
const PAGE = '<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body>\n</html>\n';
const LOG_LENGTH = 5_000;

/** What happens to calls beside being carried out: they are counted and logged, and faults strike them. */
export class Calls {
  readonly faults: FaultScript;
  readonly refusals = new Refusals();
  readonly log: LoggedCall[] = [];
  readonly counts = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly failures: Error[] = [];
  readonly #options: CallsOptions;
  readonly #arrived = new WeakMap<object, Call>();

  constructor(options: CallsOptions) {
    this.#options = options;
    this.faults = new FaultScript(options.random);
  }

  /** Takes a request as it arrives. Answers whether it goes on to the service. */
  arrived(request: Http2ServerRequest, response: Http2ServerResponse): boolean {
    const { url } = request;
    const method = url.startsWith(SERVICE) ? url.slice(SERVICE.length) : 'unknown';
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    const fault = this.faults.strike(method);
    this.#arrived.set(request, { method, fault, response });
    response.on('error', () => {});
    switch (fault?.kind) {
      case 'hang':
        return false;
      case 'reset':
        cut(response);
        return false;
      case 'status':
      case 'text':
      case 'html':
        response.writeHead(fault.status ?? (fault.kind === 'html' ? 502 : 500), {
          'content-type': fault.kind === 'html' ? 'text/html' : (fault.contentType ?? 'text/plain'),
          ...fault.headers,
        });
        response.end(fault.body ?? (fault.kind === 'html' ? PAGE : ''));
        return false;
      default:
        return true;
    }
  }

  /** What the service's methods find of a request in their context. */
  contextOf(request: object): ContextValues {
    return createContextValues().set(CALL, this.#arrived.get(request));
  }

  /**
   * Carries out a call that has one answer.
   * @throws ConnectError its refusal
   */
  async answer<D extends DescMessage, T>(
    context: ContextValues,
    schema: D,
    message: MessageShape<D>,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const call = context.get(CALL);
    const line = this.#begin(call, schema, message);
    try {
      await this.#delay(call);
      this.#assertGood(line, schema, message);
      const answer = await work();
      await this.#afterwards(call);
      return answer;
    } catch (error) {
      throw this.#noted(error, line);
    }
  }

  /** Carries out a call that is answered with a stream. */
  async *stream<D extends DescMessage, T>(
    context: ContextValues,
    schema: D,
    message: MessageShape<D>,
    work: () => AsyncIterable<T> | Iterable<T>,
  ): AsyncGenerator<T> {
    const call = context.get(CALL);
    const line = this.#begin(call, schema, message);
    try {
      await this.#delay(call);
      this.#assertGood(line, schema, message);
      yield* work();
      await this.#afterwards(call);
    } catch (error) {
      throw this.#noted(error, line);
    }
  }

  #begin<D extends DescMessage>(call: Call | undefined, schema: D, message: MessageShape<D>): LoggedCall {
    const request = toJsonString(schema, message);
    const line: LoggedCall = { at: this.#options.clock.now(), method: call?.method ?? 'unknown', request };
    this.log.push(line);
    if (this.log.length > LOG_LENGTH) this.log.shift();
    return line;
  }

  #assertGood<D extends DescMessage>({ method, request }: LoggedCall, schema: D, message: MessageShape<D>): void {
    this.refusals.strike(method, request);
    assertAllKnown(reflect(schema, message));
  }

  async #delay(call: Call | undefined): Promise<void> {
    const ofFault = call?.fault?.kind === 'slow' ? (call.fault.delayMs ?? 0) : 0;
    const ms = ofFault + (this.#options.latency[call?.method ?? ''] ?? 0);
    if (ms > 0) await new Promise<void>((resolve) => void this.#options.clock.after(ms, resolve));
  }

  /** A fault that strikes a call once it is carried out takes its answer, which then never comes. */
  async #afterwards(call: Call | undefined): Promise<void> {
    switch (call?.fault?.kind) {
      case 'lost':
        cut(call.response);
        break;
      case 'empty':
        call.response.writeHead(200, { 'content-type': 'application/grpc+proto' });
        call.response.end();
        break;
      default:
        return;
    }
    await new Promise<never>(() => {});
  }

  #noted(error: unknown, line: LoggedCall): ConnectError {
    if (!(error instanceof ConnectError)) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.failures.push(failure);
      return new ConnectError(`the emulator failed: ${failure.message}`, Code.Internal);
    }
    const code = Code[error.code];
    line.refused = code;
    this.refused.set(code, (this.refused.get(code) ?? 0) + 1);
    return error;
  }
}

function cut(response: Http2ServerResponse): void {
  response.stream.session?.destroy();
}
