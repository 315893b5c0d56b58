import { isRungarError, type LogFields, type RunnerRegistration } from '@rungar/model';
import type { Runner } from './runners.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { withLimit } from './time-limit.js';

/** How long one call to GitHub may take. */
export const GITHUB_LIMIT_MS = 60_000;

/** Whose registrations they are: a scale set of the configuration, or one that has been taken out of it. */
export interface Registrar {
  readonly name: string;
  readonly deps: Pick<Deps, 'clock' | 'github' | 'removals'>;
  readonly policy: { readonly priority: number };
}

export type Unregistered =
  /** There is no such registration any more. */
  | { readonly kind: 'gone' }
  /** GitHub refused: it runs a job. */
  | { readonly kind: 'busy' }
  /** Nothing is known: it stays as it is. */
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Removes a runner's registration: one call where its id is known, a look-up by name before it where not.
 * @param until once it aborts, no further call is begun: it is the session this is done for
 */
export async function unregister(
  set: Registrar,
  runner: Pick<Runner, 'name' | 'registrationId'>,
  until?: AbortSignal,
): Promise<Unregistered> {
  const { removals } = set.deps;
  let leave = (): void => {};
  try {
    leave = await removals.enter({ key: set.name, priority: set.policy.priority }, until);
    const id = runner.registrationId ?? (await lookUp(set, runner.name))?.id;
    until?.throwIfAborted();
    if (id !== undefined) await removeById(set, id);
    return { kind: 'gone' };
  } catch (error) {
    return isRungarError(error, 'busy') ? { kind: 'busy' } : { kind: 'failed', error };
  } finally {
    leave();
  }
}

/** Removes what a creation registered and did not use. Whatever stays goes by the rule for orphans. */
export async function undoRegistration(set: ScaleSet, name: string, id: number): Promise<void> {
  const end = await unregister(set, { name, registrationId: id });
  if (end.kind === 'failed')
    warn(set, 'Registration left behind; it is removed later', { runner: name, error: end.error });
}

export function lookUp(set: Registrar, name: string): Promise<RunnerRegistration | undefined> {
  const { clock, github } = set.deps;
  return withLimit(clock, GITHUB_LIMIT_MS, `look-up of ${name}`, undefined, async (signal) => {
    const found = await github.findRunner(name, { signal });
    return found?.name === name ? found : undefined;
  });
}

export function removeById(set: Registrar, id: number): Promise<void> {
  const { clock, github } = set.deps;
  return withLimit(clock, GITHUB_LIMIT_MS, `removal of runner ${id}`, undefined, (signal) =>
    github.removeRunner(id, { signal }),
  );
}

const warn = (set: ScaleSet, message: string, fields: LogFields): void => set.log.warn(message, fields);
