/** A `gcp` provider's entry, checked (docs/providers/gcp.md). */
export interface GcpSettings {
  readonly project: string;
  /** Tried in this order, beginning one further with each runner of a scale set. All of one region. */
  readonly zones: readonly string[];
  /** A name, or a URL or path. */
  readonly network?: string;
  /** A name, or a URL or path. */
  readonly subnetwork?: string;
  /** Unset is true, unless an instance template brings a network interface of its own. */
  readonly externalIp?: boolean;
  /** Who the machines are, by address. */
  readonly serviceAccount?: string;
  /** Empty without a service account. */
  readonly scopes: readonly string[];
  readonly credentialsFile?: string;
  readonly impersonateServiceAccount?: string;
  /** Where Compute Engine's API is, instead of Google's own address. An addition of ours. */
  readonly endpointUrl?: string;
  readonly timeoutMs: number;
}

/** A `gcp` runner block, merged and with defaults filled in. */
export interface GcpRunner {
  /** Tried in this order within a zone; none when the template gives it. */
  readonly machineTypes: readonly string[];
  /** A name, or a URL or path; empty when the template gives it. */
  readonly image: string;
  /** Bytes, whole GiB; 0 with a template. */
  readonly diskSize: bigint;
  /** Empty with a template. */
  readonly diskType: string;
  /** A name, or a URL or path; empty for none. */
  readonly instanceTemplate: string;
  readonly spot: boolean;
  /** `undefined` when never set, which has another revision than empty; so in the two below. */
  readonly networkTags: readonly string[] | undefined;
  readonly labels: ReadonlyMap<string, string> | undefined;
  readonly metadata: ReadonlyMap<string, string> | undefined;
  readonly startupScript: string;
}

/** The region of a zone: `europe-west1` of `europe-west1-b`. */
export function regionOf(zone: string): string {
  return zone.slice(0, zone.lastIndexOf('-'));
}
