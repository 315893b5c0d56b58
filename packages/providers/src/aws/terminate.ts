import type { DeleteOutcome } from '@rungar/model';
import { Ec2Error, instanceIdsIn, isNoSuchInstance, isNotPermitted } from './errors.js';

type Termination = PromiseSettledResult<Extract<DeleteOutcome, 'deleted' | 'absent'>>;

const deleted: Termination = { status: 'fulfilled', value: 'deleted' };
const absent: Termination = { status: 'fulfilled', value: 'absent' };

/**
 * Terminates instances with as few calls as EC2 lets. One wrong id fails a whole call, so those an answer names are
 * taken out and the rest is sent again; where it names none, each half is.
 * @param call one `TerminateInstances`; may fail with an {@link Ec2Error}
 * @returns the outcome of each id, in their order
 */
export async function terminateAll(
  ids: readonly string[],
  call: (ids: readonly string[]) => Promise<void>,
): Promise<readonly Termination[]> {
  const outcomes = new Map<string, Termination>();

  const settle = (some: Iterable<string>, outcome: Termination): void => {
    for (const id of some) outcomes.set(id, outcome);
  };

  const terminate = async (some: readonly string[]): Promise<void> => {
    if (some.length === 0) return;
    try {
      await call(some);
      settle(some, deleted);
    } catch (error) {
      await afterFailure(some, error);
    }
  };

  const afterFailure = async (some: readonly string[], error: unknown): Promise<void> => {
    const failed: Termination = { status: 'rejected', reason: error };
    const missing = error instanceof Ec2Error && isNoSuchInstance(error);
    const named = missing || (error instanceof Ec2Error && isNotPermitted(error)) ? namedIn(error.message, some) : [];
    if (named.length > 0) {
      settle(named, missing ? absent : failed);
      return terminate(some.filter((id) => !named.includes(id)));
    }
    if (!missing) return settle(some, failed);
    if (some.length === 1) return settle(some, absent);
    const middle = Math.ceil(some.length / 2);
    await terminate(some.slice(0, middle));
    await terminate(some.slice(middle));
  };

  await terminate([...new Set(ids)]);
  return ids.map((id) => outcomes.get(id) ?? absent);
}

function namedIn(message: string, ids: readonly string[]): readonly string[] {
  const named = new Set(instanceIdsIn(message));
  return ids.filter((id) => named.has(id));
}
