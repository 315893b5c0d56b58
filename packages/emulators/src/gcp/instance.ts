import type { EmulatedMachine } from '../machine/machine.js';
import type { GceMachineType } from './catalogue.js';

/** What Compute Engine says an instance is doing. */
export type GceStatus =
  | 'PROVISIONING'
  | 'STAGING'
  | 'RUNNING'
  | 'STOPPING'
  | 'TERMINATED'
  | 'SUSPENDED'
  | 'SUSPENDING'
  | 'REPAIRING'
  | 'PENDING';

/** How an instance is on a network. */
export interface NetworkInterface {
  /** From `projects/` on. */
  readonly network: string;
  readonly subnetwork: string;
  readonly external: boolean;
}

/** How an instance is kept running, or is not. */
export interface Scheduling {
  readonly automaticRestart: boolean;
  readonly onHostMaintenance: string;
  readonly provisioningModel: 'STANDARD' | 'SPOT';
  readonly preemptible: boolean;
  readonly instanceTerminationAction?: 'STOP' | 'DELETE';
  /** RFC 3339. */
  readonly terminationTime?: string;
  readonly maxRunDuration?: { readonly seconds: string };
}

/** A disk that lives and goes with its instance. */
export interface Disk {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly boot: boolean;
  readonly autoDelete: boolean;
  readonly sizeGb: number;
  readonly type: string;
  /** From `projects/` on. */
  readonly image: string;
  readonly createdAt: number;
  labels: Readonly<Record<string, string>>;
}

/** An instance that an insert has asked for, once everything about it is known. */
export interface InstancePlan {
  readonly name: string;
  readonly zone: string;
  readonly type: GceMachineType;
  readonly labels: Readonly<Record<string, string>>;
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  readonly tags: readonly string[];
  readonly disks: readonly Omit<Disk, 'id' | 'zone' | 'createdAt'>[];
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly serviceAccounts: readonly { readonly email: string; readonly scopes: readonly string[] }[];
  readonly scheduling: Scheduling;
  readonly deletionProtection: boolean;
  readonly description: string | undefined;
}

export interface Instance {
  readonly plan: InstancePlan;
  readonly id: string;
  readonly createdAt: number;
  readonly disks: readonly Disk[];
  status: GceStatus;
  labels: Readonly<Record<string, string>>;
  machine: EmulatedMachine | undefined;
  /** Whether it is on its way out, so that nothing else may happen to it. */
  going: boolean;
}

export function isSpot(instance: Pick<Instance, 'plan'>): boolean {
  return instance.plan.scheduling.provisioningModel === 'SPOT';
}
