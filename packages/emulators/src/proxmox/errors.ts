import { type EmulatedAnswer, json } from '../server.js';

/** A refusal as Proxmox VE words it: in the status line, and again in the body. */
export class PveError extends Error {
  override readonly name = 'PveError';
  readonly status: number;
  /** What is wrong with which parameter. */
  readonly errors: Readonly<Record<string, string>> | undefined;

  constructor(status: number, message: string, errors?: Readonly<Record<string, string>>) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Something the node itself could not do; Proxmox VE has one status for all of it. */
export function failed(message: string): PveError {
  return new PveError(500, message);
}

/** Parameters that are not as the API's schema wants them. */
export function badParameters(errors: Readonly<Record<string, string>>): PveError {
  return new PveError(400, 'Parameter verification failed.', errors);
}

/** A privilege that the token lacks. */
export function forbidden(path: string, privilege: string): PveError {
  return new PveError(403, `Permission check failed (${path}, ${privilege})`);
}

/** A VM whose configuration file is not on that node. */
export function noSuchConfig(node: string, vmid: number): PveError {
  return failed(`Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`);
}

/** What a status line can hold: one line of ASCII. */
function reasonOf(message: string): string {
  return message.replace(/[^\x20-\x7e]+/g, ' ').trim();
}

/** The answer that carries a refusal. */
export function refusal({ status, message, errors }: PveError): EmulatedAnswer {
  const body = { data: null, message: `${message}\n`, ...(errors && { errors }) };
  return { ...json(status, body, { 'cache-control': 'max-age=0' }), reason: reasonOf(message) };
}
