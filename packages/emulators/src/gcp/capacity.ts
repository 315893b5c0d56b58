import type { InstancePlan } from './instance.js';
import type { OperationError } from './operations.js';

/** Where a limit applies: everywhere, or to one zone, one machine type, or both. */
export interface GceStockScope {
  readonly zone?: string;
  readonly machineType?: string;
}

/** What the project may have at once in a region. */
export interface GceQuota {
  /** vCPUs of instances that are not spot. */
  readonly cpus?: number;
  /** vCPUs of spot instances. */
  readonly preemptibleCpus?: number;
  readonly instances?: number;
}

interface Stock {
  readonly scope: GceStockScope;
  free: number;
}

/** The limits of a project: its quotas, and what Google has in stock. */
export class Capacity {
  #quota: GceQuota;
  #stocks: Stock[] = [];

  constructor(quota: GceQuota) {
    this.#quota = quota;
  }

  setQuota(quota: GceQuota): void {
    this.#quota = quota;
  }

  /** Says how many more instances fit within `scope`; deleted ones come back to it. `undefined` lifts the limit. */
  setStock(scope: GceStockScope, free: number | undefined): void {
    this.#stocks = this.#stocks.filter(
      ({ scope: known }) => known.zone !== scope.zone || known.machineType !== scope.machineType,
    );
    if (free !== undefined) this.#stocks.push({ scope, free });
  }

  /**
   * Takes room for one instance.
   * @param live the other instances of its region
   * @returns why there is none
   */
  take(plan: InstancePlan, region: string, live: readonly InstancePlan[]): OperationError | undefined {
    const exceeded = this.#quotaExceeded(plan, live);
    if (exceeded !== undefined) {
      const { metric, limit } = exceeded;
      const message = `Quota '${metric}' exceeded.  Limit: ${limit}.0 in region ${region}.`;
      return { code: 'QUOTA_EXCEEDED', message };
    }
    const stocks = this.#stocksOf(plan);
    if (stocks.some(({ free }) => free < 1)) return exhausted(plan);
    for (const stock of stocks) stock.free -= 1;
    return undefined;
  }

  giveBack(plan: InstancePlan): void {
    for (const stock of this.#stocksOf(plan)) stock.free += 1;
  }

  #quotaExceeded(plan: InstancePlan, live: readonly InstancePlan[]): { metric: string; limit: number } | undefined {
    const { instances, cpus, preemptibleCpus } = this.#quota;
    if (instances !== undefined && live.length + 1 > instances) return { metric: 'INSTANCES', limit: instances };
    const { provisioningModel: model } = plan.scheduling;
    const limit = model === 'SPOT' ? preemptibleCpus : cpus;
    const used = live
      .filter((other) => other.scheduling.provisioningModel === model)
      .reduce((sum, { type }) => sum + type.guestCpus, 0);
    if (limit === undefined || used + plan.type.guestCpus <= limit) return undefined;
    return { metric: model === 'SPOT' ? 'PREEMPTIBLE_CPUS' : 'CPUS', limit };
  }

  #stocksOf({ zone, type }: InstancePlan): Stock[] {
    return this.#stocks.filter(
      ({ scope }) => (scope.zone ?? zone) === zone && (scope.machineType ?? type.name) === type.name,
    );
  }
}

function exhausted({ zone, type }: InstancePlan): OperationError {
  return {
    code: 'ZONE_RESOURCE_POOL_EXHAUSTED',
    message:
      `The zone '${zone}' does not have enough resources available to fulfill the request for machine type ` +
      `'${type.name}'.  Try a different zone, or try again later.`,
  };
}
