import type { Filter } from '@aws-sdk/client-ec2';
import { awsTagFilters, matchesSelector } from '@rungar/labels';
import type { Labels, Machine } from '@rungar/model';
import type { Ec2 } from './client.js';
import { isGone, LIVE_STATES, toMachine } from './machine.js';

export interface MachinesSeen {
  readonly machines: readonly Machine[];
  readonly clockOffsetMs?: number;
}

/**
 * The machines whose tags carry exactly `labels`, in whatever subnet they are: one that is no longer configured must
 * not hide its machines.
 * @throws Ec2Error
 */
export async function listMachines(
  ec2: Pick<Ec2, 'describeInstances'>,
  labels: Labels,
  signal: AbortSignal,
): Promise<MachinesSeen> {
  const live: Filter = { Name: 'instance-state-name', Values: [...LIVE_STATES] };
  const { instances, ...rest } = await ec2.describeInstances({ Filters: [...awsTagFilters(labels), live] }, signal);
  const machines = instances.filter((instance) => !isGone(instance)).map(toMachine);
  return { ...rest, machines };
}

/** {@link listMachines}, with the labels compared here too: EC2's own filter is taken for a narrowing only. */
export async function listOwn(
  ec2: Pick<Ec2, 'describeInstances'>,
  selector: Labels,
  signal: AbortSignal,
): Promise<MachinesSeen> {
  const seen = await listMachines(ec2, selector, signal);
  return { ...seen, machines: seen.machines.filter((machine) => matchesSelector(machine.labels, selector)) };
}
