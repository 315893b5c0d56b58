import { messageOf } from '@rungar/model';
import type { World } from '../command.js';
import { EXIT, ExitError, exitCodeFor, StopRequest } from '../exit.js';

/** What was not done, and why. */
export interface Failure {
  readonly name: string;
  readonly reason: string;
  readonly exitCode: number;
}

/**
 * Does the same to each of several, one after the other. One that fails is told on standard error, and the next one
 * is done all the same.
 * @throws what ends the rest too: the user's stop, or a daemon that cannot be reached
 */
export async function forEach<T extends { readonly name: string }>(
  several: readonly T[],
  work: (one: T) => Promise<void>,
  { stderr }: Pick<World, 'stderr'>,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const one of several) {
    try {
      await work(one);
    } catch (error) {
      const exitCode = exitCodeFor(error);
      if (error instanceof StopRequest || exitCode === EXIT.noDaemon) throw error;
      const reason = messageOf(error);
      stderr.write(`${one.name}: ${reason}\n`);
      failures.push({ name: one.name, reason, exitCode });
    }
  }
  return failures;
}

/**
 * Ends a command that has failed at some of several: with the code of what went wrong where it was asked for one only.
 * @param what what was not done to how many: `1 of 3 runners was not removed`
 */
export function endWith(failures: readonly Failure[], asked: number, what: string): number {
  const [first] = failures;
  if (first === undefined) return EXIT.done;
  throw new ExitError(asked === 1 ? first.exitCode : EXIT.partly, what);
}
