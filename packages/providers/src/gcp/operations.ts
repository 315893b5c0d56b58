import { type Clock, messageOf } from '@rungar/model';
import type { OpenCalls } from '../shared/open-calls.js';
import type { ComputeEngine } from './client.js';
import { GceError, isPassing, unanswered } from './errors.js';
import { readTime } from './machine.js';
import type { RawOperation } from './wire.js';

/** How often a zone's operations are looked at while any is awaited. */
const INTERVAL_MS = 5000;
/** The kinds of operation that are awaited here. */
const FILTER = '(operationType = "insert") OR (operationType = "delete") OR (operationType = "setLabels")';

/** Waits for operations, all of a zone with one listing. */
export interface OperationWatcher {
  /**
   * The operation once it is done, which may be that it failed.
   * @param operation as it was answered
   * @throws GceError of an uncertain outcome when nobody can tell what became of it; the signal's reason when it aborts
   */
  wait(zone: string, operation: RawOperation, signal: AbortSignal): Promise<RawOperation>;
}

interface Awaited {
  readonly name: string;
  /** When it began, by Google's clock. */
  readonly begunAt: number;
  done(operation: RawOperation): void;
  fail(error: GceError): void;
}

export interface WatcherOptions {
  readonly gce: Pick<ComputeEngine, 'listOperations' | 'getOperation'>;
  readonly clock: Clock;
  readonly calls: OpenCalls;
}

export function watchOperations({ gce, clock, calls }: WatcherOptions): OperationWatcher {
  const zones = new Map<string, Set<Awaited>>();

  const watch = async (zone: string, awaited: Set<Awaited>, signal: AbortSignal): Promise<void> => {
    try {
      while (awaited.size > 0) {
        await clock.sleep(INTERVAL_MS, signal);
        if (awaited.size > 0) await look(zone, [...awaited], signal);
      }
    } finally {
      zones.delete(zone); // before anybody else can join those that nobody looks after any more
    }
  };

  const look = async (zone: string, awaited: readonly Awaited[], signal: AbortSignal): Promise<void> => {
    const listed = await listUntil(zone, awaited, signal);
    if (listed === undefined) return;
    const unlisted: Awaited[] = [];
    for (const one of awaited) {
      const operation = listed.get(one.name);
      if (operation === undefined) unlisted.push(one);
      else if (operation.status === 'DONE') one.done(operation);
    }
    await Promise.all(unlisted.map((one) => read(zone, one, signal)));
  };

  /** The zone's operations back to the oldest awaited; nothing when there was no answer this time. */
  const listUntil = async (
    zone: string,
    awaited: readonly Awaited[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, RawOperation> | undefined> => {
    const oldest = Math.min(...awaited.map(({ begunAt }) => begunAt));
    const listed = new Map<string, RawOperation>();
    let pageToken: string | undefined;
    try {
      do {
        const page = await gce.listOperations(zone, { filter: FILTER, ...(pageToken && { pageToken }) }, signal);
        for (const operation of page.items) if (operation.name) listed.set(operation.name, operation);
        const last = readTime(page.items.at(-1)?.insertTime) ?? Number.NEGATIVE_INFINITY;
        pageToken = last < oldest || awaited.every(({ name }) => listed.has(name)) ? undefined : page.nextPageToken;
      } while (pageToken !== undefined);
      return listed;
    } catch (error) {
      if (isPassing(error)) return undefined;
      if (error instanceof GceError) return listed; // whoever may not list may still read
      throw error;
    }
  };

  const read = async (zone: string, one: Awaited, signal: AbortSignal): Promise<void> => {
    try {
      const operation = await gce.getOperation(zone, one.name, signal);
      if (operation.status === 'DONE') one.done(operation);
    } catch (error) {
      if (isPassing(error)) return;
      if (!(error instanceof GceError)) throw error;
      one.fail(new GceError(error.code, `waiting for ${one.name} failed: ${error.reason}`, 'uncertain'));
    }
  };

  const join = (zone: string, one: Awaited): (() => void) => {
    const known = zones.get(zone);
    const awaited = known ?? new Set();
    awaited.add(one);
    if (!known) {
      zones.set(zone, awaited);
      calls
        .run(undefined, (signal) => watch(zone, awaited, signal))
        .catch((error: unknown) => {
          for (const each of awaited) each.fail(unanswered(`waiting for ${each.name} failed: ${messageOf(error)}`));
        });
    }
    return () => void awaited.delete(one);
  };

  return {
    wait(zone, operation, signal) {
      const { name, status } = operation;
      if (status === 'DONE') return Promise.resolve(operation);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const settle = (then: () => void): void => {
          leave();
          signal.removeEventListener('abort', onAbort);
          then();
        };
        const onAbort = (): void => settle(() => reject(signal.reason as Error));
        const leave = join(zone, {
          name: name ?? '',
          begunAt: readTime(operation.insertTime) ?? Number.NEGATIVE_INFINITY,
          done: (finished) => settle(() => resolve(finished)),
          fail: (error) => settle(() => reject(error)),
        });
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
