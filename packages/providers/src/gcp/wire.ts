import type { RawOperationError } from './errors.js';

/** The parts of Compute Engine's answers that are read. Nothing in them is sure to be there. */

export interface RawItem {
  readonly key?: string;
  readonly value?: string;
}

/** An instance, as the API answers it. */
export interface RawInstance {
  /** A 64-bit number, as text. */
  readonly id?: string;
  readonly name?: string;
  /** A URL, as `machineType` is. */
  readonly zone?: string;
  readonly machineType?: string;
  readonly status?: string;
  readonly statusMessage?: string;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: { readonly items?: readonly RawItem[] };
  readonly disks?: readonly { readonly source?: string }[];
}

/** An operation, as the API answers it: done without an error is success. */
export interface RawOperation {
  readonly name?: string;
  readonly status?: string;
  /** Of the resource it is about, also when there are others of that name. */
  readonly targetId?: string;
  readonly insertTime?: string;
  readonly error?: { readonly errors?: readonly RawOperationError[] };
}

/** An instance template, as the API answers it. */
export interface RawTemplate {
  readonly properties?: {
    readonly machineType?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly metadata?: { readonly items?: readonly RawItem[] };
    readonly tags?: { readonly items?: readonly string[] };
    readonly scheduling?: {
      readonly provisioningModel?: string;
      readonly preemptible?: boolean;
      readonly maxRunDuration?: unknown;
      readonly terminationTime?: string;
    };
  };
}

/** A disk, as the API answers it. */
export interface RawDisk {
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
}

export interface RawPage<T> {
  readonly kind?: string;
  /** Of the listing itself: `projects/P/zones/Z/instances`. */
  readonly id?: string;
  readonly items?: T;
  readonly nextPageToken?: string;
  /** Zones, or parts of paths to them, that an aggregated listing had to leave out. */
  readonly unreachables?: readonly string[];
}

const INSTANCE_FIELDS = 'id,name,zone,machineType,status,statusMessage,creationTimestamp,metadata/items';

/** What each kind of answer is cut down to by Google, so that a listing carries only what is read. */
export const FIELDS = {
  instance: INSTANCE_FIELDS,
  instances: `kind,id,items(${INSTANCE_FIELDS}),nextPageToken`,
  zonesOfInstances: 'kind,items/*/instances/zone,nextPageToken,unreachables',
  disksOfInstance: 'labels,disks/source',
  operation: 'kind,name,status,targetId,insertTime,error/errors(code,message)',
  operations: 'kind,items(name,status,targetId,insertTime,error/errors(code,message)),nextPageToken',
  template:
    'kind,properties(machineType,labels,metadata/items,tags/items,' +
    'scheduling(provisioningModel,preemptible,maxRunDuration,terminationTime))',
  disk: 'kind,labels,labelFingerprint',
  existence: 'kind,name',
  console: 'kind,contents',
} as const;
