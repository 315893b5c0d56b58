import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, type Limit, limitTime } from '@rungar/model';

/** What the API server answered, before the client library makes its own objects of it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface CallOptions {
  readonly clock: Clock;
  /** How long an answer may take, in milliseconds, once the user is signed in. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** The whole body, where the library is only told which object it is about. */
  readonly document?: unknown;
  /** Given the signal that ends the request, when it is about to be sent. */
  readonly onBegin?: (signal: AbortSignal) => void;
}

/**
 * One call while the client library makes it. Its methods take no signal, and its models keep only the fields that they
 * know: what goes past both is here, for the library's hooks to use. Dispose of it when the call is over.
 */
export class ClientCall implements Disposable {
  readonly document: unknown;
  /** What the cluster calls the kind in paths and Roles, once that is known. */
  resource: string | undefined;
  /** The last answer; nothing while one is awaited. */
  answer: Answer | undefined;
  readonly #options: CallOptions;
  #limit: Limit | undefined;

  constructor(options: CallOptions) {
    this.document = options.document;
    this.#options = options;
  }

  /** The user is signed in, which may have taken a person's time: the answer's begins. */
  begin(): AbortSignal {
    const { clock, limitMs, signal, onBegin } = this.#options;
    this[Symbol.dispose]();
    this.#limit = limitTime(clock, limitMs, () => new Error('it took too long'), signal);
    onBegin?.(this.#limit.signal);
    return this.#limit.signal;
  }

  /** Ends the request at the caller's wish or at the limit. */
  get signal(): AbortSignal {
    return this.#limit?.signal ?? this.#options.signal;
  }

  [Symbol.dispose](): void {
    this.#limit?.[Symbol.dispose]();
  }
}

/** Which call is being made, for whatever runs inside it. */
export type ClientCalls = AsyncLocalStorage<ClientCall>;

/** No call is being made yet. */
export function clientCalls(): ClientCalls {
  return new AsyncLocalStorage<ClientCall>();
}
