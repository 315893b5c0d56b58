import { Code, ConnectError } from '@connectrpc/connect';

/** A refusal, in the words gRPC has for it. */
export function refused(code: Code, message: string): ConnectError {
  return new ConnectError(message, code);
}

/** A refusal that is to come: with a code of gRPC's, or one whose message repeats the whole request. */
export type Refusal = { readonly code: Code; readonly message: string } | { readonly echo: true };

interface Planned {
  readonly method: string;
  readonly refusal: Refusal;
  left: number;
}

/** The refusals that tests have planned, in the order in which they were planned. */
export class Refusals {
  #planned: Planned[] = [];

  /** The next `times` calls of `method` come to `refusal`. */
  plan(method: string, refusal: Refusal, times: number): void {
    this.#planned.push({ method, refusal, left: times });
  }

  clear(): void {
    this.#planned = [];
  }

  /**
   * @param message the request, as JSON
   * @throws ConnectError the refusal planned for this call, if there is one; it is used up by that
   */
  strike(method: string, message: string): void {
    const next = this.#planned.find((planned) => planned.method === method);
    if (next === undefined) return;
    next.left -= 1;
    if (next.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== next);
    if ('echo' in next.refusal) throw refused(Code.Internal, `cannot handle ${message}`);
    throw refused(next.refusal.code, next.refusal.message);
  }
}
