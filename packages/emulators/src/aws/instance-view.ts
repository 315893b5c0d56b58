import type { MachineState } from '../machine/machine.js';
import { currentState, type Instance, type InstanceState, type StateReason } from './instance.js';
import type { RootVolume } from './launch-plan.js';

/** An instance as it really is, whatever the API says of it already: a copy, for tests and displays. */
export interface EmulatedInstance {
  readonly id: string;
  /** Its `Name` tag, or nothing. */
  readonly name: string;
  readonly state: InstanceState;
  readonly stateReason: StateReason | undefined;
  /** Epoch milliseconds. */
  readonly stateSince: number;
  readonly launchedAt: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly volumeTags: Readonly<Record<string, string>>;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly availabilityZone: string;
  readonly securityGroupIds: readonly string[];
  readonly publicIp: string | undefined;
  readonly spot: boolean;
  readonly shutdownBehavior: 'stop' | 'terminate';
  readonly httpTokens: string;
  /** Its name. */
  readonly instanceProfile: string | undefined;
  readonly rootVolume: RootVolume | undefined;
  readonly clientToken: string | undefined;
  /** Decoded. */
  readonly userData: string | undefined;
  /** Of the machine itself, from its boot on. */
  readonly machine: MachineState | undefined;
  /** Why no runner is on it. */
  readonly problem: string | undefined;
  /** Of the runner that was delivered to it. */
  readonly runnerName: string | undefined;
}

/** A copy of what `instance` is now. */
export function viewOf(instance: Instance): EmulatedInstance {
  const { plan, machine } = instance;
  const { state, at, reason } = currentState(instance);
  return {
    id: instance.id,
    name: instance.tags.get('Name') ?? '',
    state,
    stateReason: reason,
    stateSince: at,
    launchedAt: instance.launchedAt,
    tags: Object.fromEntries(instance.tags),
    volumeTags: Object.fromEntries(instance.volumeTags),
    instanceType: plan.type.name,
    imageId: plan.image.id,
    subnetId: plan.subnet.id,
    availabilityZone: plan.subnet.availabilityZone,
    securityGroupIds: plan.groups.map(({ id }) => id),
    publicIp: instance.publicIp,
    spot: plan.spot,
    shutdownBehavior: plan.shutdownBehavior,
    httpTokens: plan.metadata.httpTokens,
    instanceProfile: plan.profile,
    rootVolume: plan.rootVolume,
    clientToken: instance.clientToken,
    userData: plan.userData,
    machine: machine?.state,
    problem: machine?.problem,
    runnerName: machine?.runnerName,
  };
}
