import type { EmulatedRequest } from '../server.js';
import { GceRefusal } from './errors.js';

/** A refusal that is to come. */
export interface PlannedRefusal {
  readonly status: number;
  /** The machine-readable word of it, such as `forbidden`. */
  readonly reason: string;
  readonly message?: string;
  /** Whether its message repeats the whole request. */
  readonly echo?: boolean;
}

interface Planned {
  readonly operation: string;
  readonly refusal: PlannedRefusal;
  left: number;
}

/** The refusals that tests have planned, in the order in which they were planned. */
export class Refusals {
  #planned: Planned[] = [];

  /** The next `times` calls of `operation` come to `refusal`. */
  plan(operation: string, refusal: PlannedRefusal, times: number): void {
    this.#planned.push({ operation, refusal, left: times });
  }

  clear(): void {
    this.#planned = [];
  }

  /** @throws GceRefusal the refusal planned for this call, if there is one; it is used up by that */
  strike(call: EmulatedRequest): void {
    const next = this.#planned.find((planned) => planned.operation === call.operation);
    if (next === undefined) return;
    next.left -= 1;
    if (next.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== next);
    const { status, reason, message = 'The request was refused.', echo } = next.refusal;
    const request = echo === true ? ` ${JSON.stringify(call.headers)} ${call.path} ${call.body}` : '';
    throw new GceRefusal(status, reason, message + request);
  }
}
