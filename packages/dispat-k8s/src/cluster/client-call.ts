import { AsyncLocalStorage } from 'node:async_hooks';

/** What the API server answered, before the client library makes its own objects of it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * One call while the client library makes it. Its methods take no signal, and its models keep only the fields that they
 * know: what goes past both is here, for the library's hooks to use.
 */
export class ClientCall {
  readonly signal: AbortSignal;
  /** The whole body, where the library is only told which object it is about. */
  readonly document: unknown;
  /** What the cluster calls the kind in paths and Roles, once that is known. */
  resource: string | undefined;
  /** The last answer; nothing while one is awaited. */
  answer: Answer | undefined;

  constructor(signal: AbortSignal, document?: unknown) {
    this.signal = signal;
    this.document = document;
  }
}

/** Which call is being made, for whatever runs inside it. */
export type ClientCalls = AsyncLocalStorage<ClientCall>;

/** No call is being made yet. */
export function clientCalls(): ClientCalls {
  return new AsyncLocalStorage<ClientCall>();
}
