import { Ec2Error } from './errors.js';
import type { LaunchPlan } from './launch-plan.js';

/** Where a limit applies: everywhere, or to one subnet, one instance type, or both. */
export interface StockScope {
  readonly subnetId?: string;
  readonly instanceType?: string;
}

/** What the account may run at once. */
export interface Quota {
  /** vCPUs of instances that are not spot. */
  readonly vcpus?: number;
  /** Spot instances. */
  readonly spotInstances?: number;
}

/** What is alive, as far as limits care. */
export interface LiveInstance {
  readonly subnetId: string;
  readonly vcpus: number;
  readonly spot: boolean;
}

interface Stock {
  readonly scope: StockScope;
  free: number;
}

/** The limits of an account: quotas of its own, and what Amazon has in stock. */
export class Capacity {
  #quota: Quota;
  #stocks: Stock[] = [];

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  setQuota(quota: Quota): void {
    this.#quota = quota;
  }

  /**
   * Says how many more instances can be launched within `scope`; terminated ones come back to it. `undefined` lifts
   * the limit. Scopes may overlap: a launch needs room in each it falls in.
   */
  setStock(scope: StockScope, free: number | undefined): void {
    this.#stocks = this.#stocks.filter(
      ({ scope: known }) => known.subnetId !== scope.subnetId || known.instanceType !== scope.instanceType,
    );
    if (free !== undefined) this.#stocks.push({ scope, free });
  }

  /**
   * Takes room for as many of `wanted` instances as there is.
   * @returns how many
   * @throws Ec2Error when that is less than `needed`: what EC2 answers then
   */
  take(plan: LaunchPlan, needed: number, wanted: number, live: readonly LiveInstance[]): number {
    const allowed = Math.min(wanted, this.#withinQuota(plan, live));
    if (allowed < needed) throw this.#quotaExceeded(plan);
    const inSubnet = live.filter(({ subnetId }) => subnetId === plan.subnet.id).length;
    const addressed = Math.min(allowed, plan.subnet.addresses - inSubnet);
    if (addressed < needed) throw noAddresses(plan);
    const stocks = this.#stocksOf(plan.subnet.id, plan.type.name);
    const available = Math.min(addressed, ...stocks.map(({ free }) => free));
    if (available < needed) throw noCapacity(plan);
    for (const stock of stocks) stock.free -= available;
    return available;
  }

  /** Gives back the room of one instance. */
  giveBack(subnetId: string, instanceType: string): void {
    for (const stock of this.#stocksOf(subnetId, instanceType)) stock.free += 1;
  }

  #withinQuota(plan: LaunchPlan, live: readonly LiveInstance[]): number {
    if (plan.spot) {
      const used = live.filter(({ spot }) => spot).length;
      return (this.#quota.spotInstances ?? Number.POSITIVE_INFINITY) - used;
    }
    const used = live.reduce((sum, { spot, vcpus }) => (spot ? sum : sum + vcpus), 0);
    return Math.floor(((this.#quota.vcpus ?? Number.POSITIVE_INFINITY) - used) / plan.type.vcpus);
  }

  #quotaExceeded(plan: LaunchPlan): Ec2Error {
    if (plan.spot) return new Ec2Error('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded');
    return new Ec2Error(
      'VcpuLimitExceeded',
      `You have requested more vCPU capacity than your current vCPU limit of ${this.#quota.vcpus} allows for the ` +
        'instance bucket that the specified instance type belongs to. Please visit ' +
        'http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.',
    );
  }

  #stocksOf(subnetId: string, instanceType: string): Stock[] {
    return this.#stocks.filter(
      ({ scope }) => (scope.subnetId ?? subnetId) === subnetId && (scope.instanceType ?? instanceType) === instanceType,
    );
  }
}

function noAddresses({ subnet }: LaunchPlan): Ec2Error {
  return new Ec2Error(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
  );
}

function noCapacity({ type, subnet, spot }: LaunchPlan): Ec2Error {
  if (spot) {
    return new Ec2Error(
      'InsufficientInstanceCapacity',
      'There is no Spot capacity available that matches your request.',
    );
  }
  return new Ec2Error(
    'InsufficientInstanceCapacity',
    `We currently do not have sufficient ${type.name} capacity in the Availability Zone you requested ` +
      `(${subnet.availabilityZone}). Our system will be working on provisioning additional capacity. You can currently ` +
      `get ${type.name} capacity by not specifying an Availability Zone in your request.`,
  );
}
