import { Ec2Error } from './errors.js';

/** A refusal that is to come: with a code of EC2's, or one whose message repeats the whole request. */
export type Refusal = { readonly code: string } | { readonly echo: true };

interface Planned {
  readonly action: string;
  readonly refusal: Refusal;
  left: number;
}

/** The refusals that tests have planned, in the order in which they were planned. */
export class Refusals {
  #planned: Planned[] = [];

  /** The next `times` calls of `action` come to `refusal`. */
  plan(action: string, refusal: Refusal, times: number): void {
    this.#planned.push({ action, refusal, left: times });
  }

  clear(): void {
    this.#planned = [];
  }

  /** @throws Ec2Error the refusal planned for this call, if there is one; it is used up by that */
  strike(action: string, request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }): void {
    const next = this.#planned.find((planned) => planned.action === action);
    if (next === undefined) return;
    next.left -= 1;
    if (next.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== next);
    if ('code' in next.refusal) throw new Ec2Error(next.refusal.code, 'The request was refused.');
    throw new Ec2Error(
      'InternalError',
      `An internal error has occurred: ${JSON.stringify(request.headers)} ${request.body}`,
    );
  }
}
