import type { Filter } from '@aws-sdk/client-ec2';
import { awsTagFilters, matchesSelector } from '@rungar/labels';
import type { Labels, Machine } from '@rungar/model';
import type { Ec2 } from './client.js';
import { GONE_STATES, isGone, LIVE_STATES, toMachine } from './machine.js';

export interface MachinesSeen {
  readonly machines: readonly Machine[];
  /** The account they belong to; absent when there are none. */
  readonly ownerId?: string;
  readonly clockOffsetMs?: number;
}

/** The most values EC2 takes in a filter. */
const MOST_IDS = 200;

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

/**
 * Those of the instances that have ended, as stopped machines with EC2's reason. A listing leaves them out, so that
 * one that died at birth would be missing without a word. At most 200 are asked about, the first ones.
 * @throws Ec2Error
 */
export async function listEnded(
  ec2: Pick<Ec2, 'describeInstances'>,
  ids: readonly string[],
  selector: Labels,
  signal: AbortSignal,
): Promise<readonly Machine[]> {
  const Filters: Filter[] = [
    { Name: 'instance-id', Values: ids.slice(0, MOST_IDS) }, // a filter: naming the ids themselves fails for one EC2 does not know yet
    { Name: 'instance-state-name', Values: [...GONE_STATES] },
  ];
  const { instances } = await ec2.describeInstances({ Filters }, signal);
  return instances
    .filter(isGone)
    .map(toMachine)
    .filter(({ labels }) => matchesSelector(labels, selector));
}
