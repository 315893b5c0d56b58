import type { MachineState } from '../machine/machine.js';
import { type GceStatus, type Instance, isSpot, type NetworkInterface, type Scheduling } from './instance.js';

/** An instance as it really is: a copy, for tests and displays. */
export interface EmulatedGceInstance {
  /** Numeric, as text. */
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly status: GceStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly machineType: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly disks: readonly {
    readonly name: string;
    readonly boot: boolean;
    readonly autoDelete: boolean;
    readonly sizeGb: number;
    readonly type: string;
    readonly image: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly serviceAccounts: readonly { readonly email: string; readonly scopes: readonly string[] }[];
  readonly scheduling: Scheduling;
  readonly spot: boolean;
  /** Whether a deletion of it has begun. */
  readonly going: boolean;
  /** Of the machine itself, from its boot on. */
  readonly machine: MachineState | undefined;
  /** Why no runner is on it. */
  readonly problem: string | undefined;
  /** Of the runner that was delivered to it. */
  readonly runnerName: string | undefined;
}

/** A copy of what `instance` is now. */
export function viewOf(instance: Instance): EmulatedGceInstance {
  const { plan, machine } = instance;
  return {
    id: instance.id,
    name: plan.name,
    zone: plan.zone,
    status: instance.status,
    createdAt: instance.createdAt,
    machineType: plan.type.name,
    labels: { ...instance.labels },
    metadata: Object.fromEntries(plan.metadata.map(({ key, value }) => [key, value])),
    tags: plan.tags,
    disks: instance.disks.map(({ name, boot, autoDelete, sizeGb, type, image, labels }) => ({
      name,
      boot,
      autoDelete,
      sizeGb,
      type,
      image,
      labels: { ...labels },
    })),
    networkInterfaces: plan.networkInterfaces,
    serviceAccounts: plan.serviceAccounts,
    scheduling: plan.scheduling,
    spot: isSpot(instance),
    going: instance.going,
    machine: machine?.state,
    problem: machine?.problem,
    runnerName: machine?.runnerName,
  };
}
