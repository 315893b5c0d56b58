import type { EmulatedRequest } from '../server.js';
import { failed, PveError } from './errors.js';

interface Planned {
  readonly operation: string;
  readonly make: (request: Pick<EmulatedRequest, 'headers' | 'body'>) => PveError;
  left: number;
}

/** The refusals that tests have planned, in the order in which they were planned. */
export class Refusals {
  #planned: Planned[] = [];

  plan(operation: string, status: number, message: string, times: number): void {
    this.#planned.push({ operation, make: () => new PveError(status, message), left: times });
  }

  /** The next call's refusal repeats all of it. */
  planEcho(operation: string): void {
    const make: Planned['make'] = ({ headers, body }) => failed(`internal error: ${JSON.stringify(headers)} ${body}`);
    this.#planned.push({ operation, make, left: 1 });
  }

  clear(): void {
    this.#planned = [];
  }

  /** @throws PveError the refusal planned for this call, if there is one; it is used up by that */
  strike(operation: string, request: Pick<EmulatedRequest, 'headers' | 'body'>): void {
    const next = this.#planned.find((planned) => planned.operation === operation);
    if (next === undefined) return;
    next.left -= 1;
    if (next.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== next);
    throw next.make(request);
  }
}
