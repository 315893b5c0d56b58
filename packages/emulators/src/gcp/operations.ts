import type { EmulatorClock } from '../clock.js';
import { type EmulatorRandom, randomHex } from '../random.js';

/** Why an operation failed, in Google's words. */
export interface OperationError {
  readonly code: string;
  readonly message: string;
}

export interface Operation {
  readonly name: string;
  readonly id: string;
  readonly zone: string;
  readonly operationType: string;
  /** From `projects/` on. */
  readonly target: string;
  readonly targetId: string;
  readonly insertedAt: number;
  readonly clientOperationId: string | undefined;
  status: 'PENDING' | 'RUNNING' | 'DONE';
  endedAt: number | undefined;
  errors: readonly OperationError[];
}

/** What an operation is about. */
export type Target = Pick<Operation, 'zone' | 'operationType' | 'target' | 'targetId' | 'clientOperationId'>;

/** How long a request's id is remembered. */
const REMEMBERED_MS = 3_600_000;

/** Everything that is being done in a project, or was. */
export class Operations {
  readonly #clock: EmulatorClock;
  readonly #random: EmulatorRandom;
  readonly #operations = new Map<string, Operation>();
  readonly #byRequest = new Map<string, { readonly operation: Operation; readonly until: number }>();
  readonly #waiting = new Map<Operation, Set<() => void>>();

  constructor(clock: EmulatorClock, random: EmulatorRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Oldest first. */
  in(zone: string): readonly Operation[] {
    return [...this.#operations.values()].filter((operation) => operation.zone === zone);
  }

  find(zone: string, nameOrId: string): Operation | undefined {
    const named = this.#operations.get(nameOrId);
    if (named?.zone === zone) return named;
    return this.in(zone).find(({ id }) => id === nameOrId);
  }

  /** The operation that a request of this id began within the last hour. */
  ofRequest(requestId: string): Operation | undefined {
    const known = this.#byRequest.get(requestId);
    return known && known.until > this.#clock.now() ? known.operation : undefined;
  }

  /** Begins an operation that takes `ms`; then `end` says what came of it. */
  begin(target: Target, ms: number, end: () => readonly OperationError[]): Operation {
    const now = this.#clock.now();
    const operation: Operation = {
      ...target,
      name: `operation-${now}-${randomHex(this.#random, 7)}-${randomHex(this.#random, 4)}-${randomHex(this.#random, 4)}`,
      id: BigInt(`0x${randomHex(this.#random, 7)}`).toString(),
      insertedAt: now,
      status: 'RUNNING',
      endedAt: undefined,
      errors: [],
    };
    this.#operations.set(operation.name, operation);
    if (target.clientOperationId !== undefined) {
      this.#byRequest.set(target.clientOperationId, { operation, until: now + REMEMBERED_MS });
    }
    const finish = (): void => {
      operation.errors = end();
      operation.status = 'DONE';
      operation.endedAt = this.#clock.now();
      for (const resolve of this.#waiting.get(operation) ?? []) resolve();
      this.#waiting.delete(operation);
    };
    if (ms === 0) finish();
    else this.#clock.after(ms, finish);
    return operation;
  }

  /** Resolves when the operation is done, or after two minutes: what Compute Engine's `wait` does. */
  wait(operation: Operation): Promise<void> {
    if (operation.status === 'DONE') return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(operation) ?? new Set();
      waiting.add(resolve);
      this.#waiting.set(operation, waiting);
      this.#clock.after(120_000, resolve);
    });
  }
}
