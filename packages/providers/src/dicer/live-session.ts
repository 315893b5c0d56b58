import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '@rungar/model';

const PONG_WITHIN_MS = 10_000;
const TOO_MANY_PINGS = 'too_many_pings';

type RequestHeaders = Parameters<ClientHttp2Session['request']>[0];
type RequestOptions = Parameters<ClientHttp2Session['request']>[1];

/** A connection that stands, and when something was last heard over it. */
export class LiveSession {
  readonly #http2: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  #heardAt: number;

  /**
   * @param onGone called once no more calls may be made over it; calls in flight may still go on
   */
  constructor(http2: ClientHttp2Session, clock: Clock, onGone: (toldOfTooManyPings: boolean) => void) {
    this.#http2 = http2;
    this.#clock = clock;
    this.#heardAt = clock.now();
    const leave = (toldOfTooManyPings: boolean): void => {
      if (this.#gone.signal.aborted) return;
      this.#gone.abort();
      onGone(toldOfTooManyPings);
    };
    http2.once('goaway', (_code: number, _lastStream: number, data?: Buffer) => {
      leave(data?.toString('latin1') === TOO_MANY_PINGS);
    });
    http2.once('close', () => leave(false));
  }

  /** A new call; nothing when the connection has ended. */
  request(headers: RequestHeaders, options: RequestOptions): ClientHttp2Stream | undefined {
    if (this.#http2.closed || this.#http2.destroyed) return undefined;
    const stream = this.#http2.request(headers, options);
    stream.once('response', () => this.heard(stream));
    return stream;
  }

  /** Something came over `stream`, if it is one of this connection. */
  heard(stream: ClientHttp2Stream): void {
    if (stream.session === this.#http2) this.#heardAt = this.#clock.now();
  }

  /** Ends it, and every call on it with `error`. */
  destroy(error: Error): void {
    this.#http2.destroy(error, constants.NGHTTP2_CANCEL);
  }

  /**
   * Pings after every silence, and gives the connection up when there is no answer within 10 s.
   * @param afterMs how long a silence is, in milliseconds
   */
  async keepAlive(afterMs: () => number): Promise<void> {
    const { signal } = this.#gone;
    try {
      while (!signal.aborted && !this.#http2.destroyed) {
        const leftMs = this.#heardAt + afterMs() - this.#clock.now();
        if (leftMs > 0) await this.#clock.sleep(leftMs, signal);
        else if (await this.#isAnswered()) this.#heardAt = this.#clock.now();
        else this.destroy(new ConnectError(`no answer to a ping within ${PONG_WITHIN_MS / 1000} s`, Code.Unavailable));
      }
    } catch (error) {
      if (!signal.aborted) this.destroy(error as Error);
    }
  }

  /** A ping that fails has been overtaken by the end of the connection, which tells itself. */
  #isAnswered(): Promise<boolean> {
    const over = new AbortController();
    return new Promise((resolve) => {
      this.#clock.sleep(PONG_WITHIN_MS, over.signal).then(
        () => resolve(false),
        () => {},
      );
      this.#http2.ping(() => {
        over.abort();
        resolve(true);
      });
    });
  }
}
