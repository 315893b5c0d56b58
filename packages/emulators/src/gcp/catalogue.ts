/** A machine type, to be had in the zones named. */
export interface GceMachineType {
  readonly name: string;
  readonly guestCpus: number;
  readonly memoryMb: number;
  /** Default: every zone. */
  readonly zones?: readonly string[];
}

/** An image that instances can be made from. */
export interface GceImage {
  /** Default: the emulator's own. */
  readonly project?: string;
  readonly name: string;
  readonly family?: string;
  /** Of its smallest disk, in GiB. Default 10. */
  readonly diskSizeGb?: number;
}

/** An instance template that exists from the start. */
export interface GceInstanceTemplate {
  readonly name: string;
  /** Default: it is a global one. */
  readonly region?: string;
  /** The instance it describes, as the API has it: what a template names by itself, such as `e2-small`, without URLs. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A subnetwork that exists from the start. */
export interface GceSubnetwork {
  readonly name: string;
  readonly region: string;
  readonly network: string;
}

/** What a project has before anything is made in it. */
export interface GceCatalogue {
  readonly zones: readonly string[];
  readonly machineTypes: readonly GceMachineType[];
  readonly diskTypes: readonly string[];
  readonly images: readonly GceImage[];
  readonly instanceTemplates: readonly GceInstanceTemplate[];
  readonly networks: readonly string[];
  readonly subnetworks: readonly GceSubnetwork[];
}

/** Two regions with some types; `c3-standard-4` is not to be had in `europe-west1-d`. */
export const DEFAULT_CATALOGUE: GceCatalogue = {
  zones: ['europe-west1-b', 'europe-west1-c', 'europe-west1-d', 'us-central1-a'],
  machineTypes: [
    { name: 'e2-small', guestCpus: 2, memoryMb: 2048 },
    { name: 'e2-standard-2', guestCpus: 2, memoryMb: 8192 },
    { name: 'e2-standard-4', guestCpus: 4, memoryMb: 16_384 },
    { name: 'n2-standard-4', guestCpus: 4, memoryMb: 16_384 },
    { name: 'c3-standard-4', guestCpus: 4, memoryMb: 16_384, zones: ['europe-west1-b', 'europe-west1-c'] },
  ],
  diskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  images: [
    { name: 'runner-image', family: 'runner' },
    { project: 'debian-cloud', name: 'debian-12-bookworm-v20260101', family: 'debian-12' },
  ],
  instanceTemplates: [],
  networks: ['default'],
  subnetworks: [
    { name: 'default', region: 'europe-west1', network: 'default' },
    { name: 'default', region: 'us-central1', network: 'default' },
  ],
};

/** The region of a zone. */
export function regionOf(zone: string): string {
  return zone.slice(0, zone.lastIndexOf('-'));
}
