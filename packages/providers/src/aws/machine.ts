import { parseAwsTags } from '@rungar/labels';
import type { Machine, MachineState } from '@rungar/model';
import type { SeenInstance } from './instances-page.js';
import { nameOf } from './labels.js';

/** An instance that is gone, or on its way: no longer a machine. */
export const GONE_STATES: readonly string[] = ['shutting-down', 'terminated'];

const STATES: ReadonlyMap<string, MachineState> = new Map<string, MachineState>([
  ['pending', 'starting'],
  ['running', 'running'],
  ['stopping', 'stopped'],
  ['stopped', 'stopped'],
]);

/** The names EC2 has for states of instances that are still machines. */
export const LIVE_STATES: readonly string[] = [...STATES.keys()];

export function isGone(instance: SeenInstance): boolean {
  return GONE_STATES.includes(instance.State?.Name ?? '');
}

/** Why EC2 says the instance is in its state, if it does. */
export function stateReasonOf(instance: SeenInstance): string | undefined {
  return instance.StateReason?.Message || instance.StateTransitionReason || undefined;
}

/** An instance as a machine. A state EC2 did not have when this was written is `unknown`. */
export function toMachine(instance: SeenInstance): Machine {
  const tags = instance.Tags ?? [];
  const state = isGone(instance) ? 'stopped' : (STATES.get(instance.State?.Name ?? '') ?? 'unknown');
  const stateReason = state === 'stopped' ? stateReasonOf(instance) : undefined;
  return {
    name: nameOf(tags),
    id: instance.InstanceId ?? '',
    labels: parseAwsTags(tags),
    state,
    size: instance.InstanceType ?? '',
    ...(instance.LaunchTime && { createdAt: instance.LaunchTime.getTime() }),
    ...(stateReason !== undefined && { stateReason }),
  };
}
