import type { Cluster } from './cluster.js';
import type { NextIdRange } from './contract.js';
import type { Parameters } from './parameters.js';
import type { Caller } from './permissions.js';

/** One call of the API, as an operation sees it. */
export interface Call {
  /** The parts of the path that are named, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Parameters;
  readonly caller: Caller;
  readonly cluster: Cluster;
  readonly version: string;
  readonly nextId: NextIdRange;
}

/** One method of the API. */
export interface Operation {
  /** What faults, refusals and counts call it. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api2/json`. */
  readonly path: string;
  /** The parameters of its query. */
  readonly query?: readonly string[];
  /**
   * Carries it out.
   * @returns what goes into `data`
   * @throws PveError
   */
  run(call: Call): unknown;
}

/** The first number of the cluster's version. */
export function majorOf({ version }: Call): number {
  return Number(version.split('.')[0]);
}

/** The VMID in a call's path. */
export function vmidOf({ path }: Call): number {
  return Number(path.vmid);
}

/** Where the privileges on a VM can be given: on itself, or on its pool. */
export function vmPaths(vmid: number, pool: string | undefined): readonly string[] {
  return pool === undefined ? [`/vms/${vmid}`] : [`/vms/${vmid}`, `/pool/${pool}`];
}
