import { type ErrorCode, RungarError, type RungarErrorOptions } from '@rungar/model';

/** Why a call came to nothing. What a refusal is about stands in its text alone. */
export type PveRefusal =
  /** There was no connection: nothing was asked. */
  | 'unsent'
  /** No answer, or one that is not of Proxmox VE: it may have been done or not. */
  | 'unanswered'
  /** Something between here and the node did not reach it. */
  | 'unreachable'
  /** The token is not taken, or lacks a privilege. */
  | 'unauthorised'
  /** Proxmox VE said no, or a task of it ended with a failure. */
  | 'refused';

/** A call that Proxmox VE refused or did not answer, with its own words, every secret taken out. */
export class PveError extends Error {
  override readonly name = 'PveError';
  readonly refusal: PveRefusal;
  /** The HTTP status; absent when there was no answer, and for a task's failure. */
  readonly status: number | undefined;
  readonly hint: string | undefined;

  constructor(refusal: PveRefusal, message: string, more: { status?: number; hint?: string } = {}) {
    super(message);
    this.refusal = refusal;
    this.status = more.status;
    this.hint = more.hint;
  }
}

/** Statuses of pveproxy, and of proxies before it, that say a node was not reached. */
const UNREACHABLE: ReadonlySet<number> = new Set([408, 429, 502, 503, 504, 595, 596, 597, 599]);

/** What an HTTP status says of a refusal. */
export function refusalOf(status: number): PveRefusal {
  if (status === 401 || status === 403) return 'unauthorised';
  return UNREACHABLE.has(status) ? 'unreachable' : 'refused';
}

/** Whether a call that failed so has surely changed nothing, or had it undone. */
export function isRefused(error: unknown): boolean {
  return error instanceof PveError && error.refusal !== 'unanswered' && error.refusal !== 'unreachable';
}

/** A VMID that is in use. Only of a clone: elsewhere the words mean other things. */
export function saysTaken(error: unknown): boolean {
  return says(error, /already exists/i);
}

/** A task whose process vanished, as when its node lost power: nobody cleaned up after it. */
export function saysCutOff(error: unknown): boolean {
  return says(error, /^(?:unexpected status|unable to (?:open|read)|the task ended without saying how)/i);
}

/** A template on storage that the node of the clone cannot reach. */
export function saysLocalStorage(error: unknown): boolean {
  return says(error, /local storage/i);
}

/** A storage whose disks cannot be linked to a template's. */
export function saysNoLinkedClone(error: unknown): boolean {
  return says(error, /linked clone/i);
}

/** A lock that somebody else has: of a storage, of a configuration, or on the VM. */
export function saysLocked(error: unknown): boolean {
  return says(error, /got timeout|can't lock file|is locked/i);
}

/** No room: no disk space, or no memory. */
export function saysFull(error: unknown): boolean {
  return says(error, /no space left|not enough space|out of memory|cannot allocate memory|not enough memory/i);
}

/** A VM that is not running. The same words of its guest agent mean that it may be, soon. */
export function saysVmNotRunning(error: unknown): boolean {
  return says(error, /\bVM \d+ (?:is )?not running/i);
}

/** A VM that must be stopped first. */
export function saysStillRunning(error: unknown): boolean {
  return says(error, /is running - destroy failed/i);
}

/** That this very VM is not there. That a storage or a node is not there says nothing of the VM. */
export function saysGone(error: unknown, vmid: number): boolean {
  return says(
    error,
    new RegExp(`/${vmid}\\.conf'? does not exist|no such vm\\b|\\bVM ${vmid} (?:does not exist|not found)`, 'i'),
  );
}

function says(error: unknown, phrase: RegExp): boolean {
  return error instanceof PveError && error.refusal === 'refused' && phrase.test(error.message);
}

const CODES: Readonly<Record<PveRefusal, ErrorCode>> = {
  unsent: 'unavailable',
  unanswered: 'unavailable',
  unreachable: 'unavailable',
  unauthorised: 'internal',
  refused: 'internal',
};

/** `error` as callers of a provider know it; others are left as they are. */
export function asRungarError(error: unknown): Error {
  if (!(error instanceof PveError)) return error instanceof Error ? error : new Error(String(error));
  const options: RungarErrorOptions = { cause: error, ...(error.hint !== undefined && { hint: error.hint }) };
  return new RungarError(CODES[error.refusal], error.message, options);
}
