import type { EmulatedMachine } from '../machine/machine.js';
import type { LaunchPlan } from './launch-plan.js';

/** The states of an instance, with the codes EC2 gives them. */
export const STATE_CODES = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
} as const;

/** What an instance is doing, in the words of EC2. */
export type InstanceState = keyof typeof STATE_CODES;

/** Why an instance left `running`, as EC2 puts it. */
export interface StateReason {
  readonly code: string;
  readonly message: string;
}

/** One entry of an instance's history. */
export interface StateChange {
  readonly state: InstanceState;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason?: StateReason;
}

/** An instance as the emulator keeps it. */
export interface Instance {
  readonly plan: LaunchPlan;
  readonly id: string;
  readonly reservationId: string;
  /** Its place among all instances ever launched. */
  readonly sequence: number;
  /** Its place in its reservation. */
  readonly launchIndex: number;
  readonly clientToken: string | undefined;
  readonly privateIp: string;
  readonly publicIp: string | undefined;
  readonly networkInterfaceId: string;
  readonly attachmentId: string;
  readonly volumeId: string;
  readonly spotRequestId: string | undefined;
  readonly launchedAt: number;
  readonly tags: Map<string, string>;
  readonly volumeTags: Map<string, string>;
  /** Oldest first; the last is the state it is in. */
  readonly history: StateChange[];
  terminationProtected: boolean;
  /** From its boot on. */
  machine: EmulatedMachine | undefined;
}

/** The state it is in. */
export function currentState(instance: Instance): StateChange {
  return instance.history.at(-1) ?? { state: 'pending', at: instance.launchedAt };
}

/** The state it was in at an instant; its first one for an instant before its launch. */
export function stateAt(instance: Instance, at: number): StateChange {
  return instance.history.findLast((change) => change.at <= at) ?? { state: 'pending', at: instance.launchedAt };
}

/** Whether it holds capacity: everything does that is not on its way out. */
export function isLive(instance: Instance): boolean {
  const { state } = currentState(instance);
  return state !== 'shutting-down' && state !== 'terminated';
}
