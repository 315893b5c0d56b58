import type { MachineState } from '@rungar/model';
import { type RunnerFacts, WRITE_OFF_MS } from './facts.js';

/** What a runner's machine says of itself in the newest listing. */
export type MachineVerdict =
  | { readonly kind: 'alive' }
  | { readonly kind: 'ended' }
  /** Its backend cannot say: kept and counted. */
  | { readonly kind: 'unknown'; readonly since: number }
  /** It has not been able to say for so long that the runner is given up, machine untouched. */
  | { readonly kind: 'written_off'; readonly since: number };

export const ALIVE: MachineVerdict = { kind: 'alive' };

export const isAlive = (state: MachineState): boolean => state === 'starting' || state === 'running';

/** Only a state that says the machine has ended for good counts as ended. */
export function decideMachine(
  states: readonly MachineState[],
  runner: Pick<RunnerFacts, 'unknownSince'>,
  now: number,
): MachineVerdict {
  if (states.some(isAlive)) return ALIVE;
  if (states.every((state) => state === 'stopped')) return { kind: 'ended' };
  const since = runner.unknownSince ?? now;
  return { kind: now - since > WRITE_OFF_MS ? 'written_off' : 'unknown', since };
}
