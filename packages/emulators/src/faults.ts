import type { EmulatorRandom } from './random.js';

/** One way in which a call goes wrong. */
export interface Fault {
  /** The operation it strikes, by the emulator's name for it; `*` for any that its clients call. */
  readonly operation: string;
  /**
   * What happens:
   * - `status`: the call is not carried out and answers `status`, with `headers` and `body` as given
   * - `text`, `html`: the same, with a `text/plain` message or a proxy's HTML page as the body
   * - `reset`: the connection is reset before anything is carried out
   * - `lost`: the call is carried out, then the connection is reset before the answer is sent
   * - `hang`: no answer, until the caller or the server closes the connection
   * - `slow`: the call is carried out `delayMs` late
   * - `empty`: the call is carried out, its answer keeps the status and loses its body
   * - `bom`: the call is carried out, its answer begins with a UTF-8 byte order mark
   * - `special`: what the emulator calls `special`; it strikes when the emulator has the occasion for it
   */
  readonly kind: 'status' | 'text' | 'html' | 'reset' | 'lost' | 'hang' | 'slow' | 'empty' | 'bom' | 'special';
  /** Default 500, and 502 for `html`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default empty, and some text for `text` and `html`. */
  readonly body?: string;
  /** Of `body`; default `application/json`. */
  readonly contentType?: string;
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retryAfter?: string | number;
  readonly delayMs?: number;
  /** Which fault of the emulator's own. */
  readonly special?: string;
  /** How many matching calls to let through first. Default 0. */
  readonly skip?: number;
  /** How many calls it strikes before it is spent. Default 1, or without end when `rate` is given. */
  readonly times?: number;
  /** The share of matching calls it strikes, 0 to 1. Default 1. */
  readonly rate?: number;
}

interface Armed {
  readonly fault: Fault;
  skip: number;
  left: number;
}

/** The faults that are set, in the order in which they were set. */
export class FaultScript {
  readonly #random: EmulatorRandom;
  #armed: Armed[] = [];

  constructor(random: EmulatorRandom) {
    this.#random = random;
  }

  /** Sets one more fault. */
  add(fault: Fault): void {
    const left = fault.times ?? (fault.rate === undefined ? 1 : Number.POSITIVE_INFINITY);
    this.#armed.push({ fault, skip: fault.skip ?? 0, left });
  }

  /** Takes back every fault, or those of one operation. */
  clear(operation?: string): void {
    this.#armed = operation === undefined ? [] : this.#armed.filter((armed) => armed.fault.operation !== operation);
  }

  /**
   * The fault that strikes this call, if one does; it is used up by that.
   * @param own whether the call is one of the emulator's own, which only a fault that names it strikes
   */
  strike(operation: string, own = false): Fault | undefined {
    return this.#strike(operation, (fault) => fault.kind !== 'special' && !(own && fault.operation === '*'));
  }

  /** Whether the emulator's own fault `special` strikes now. */
  strikeSpecial(operation: string, special: string): boolean {
    return this.#strike(operation, (fault) => fault.kind === 'special' && fault.special === special) !== undefined;
  }

  #strike(operation: string, fits: (fault: Fault) => boolean): Fault | undefined {
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (!fits(fault) || (fault.operation !== '*' && fault.operation !== operation)) continue;
      if (armed.skip > 0) {
        armed.skip -= 1;
        continue;
      }
      if (this.#random.fraction() >= (fault.rate ?? 1)) continue;
      armed.left -= 1;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return fault;
    }
    return undefined;
  }
}
