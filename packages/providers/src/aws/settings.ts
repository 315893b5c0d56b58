/** An `aws` provider's entry, checked (docs/providers/aws.md). */
export interface AwsSettings {
  readonly region: string;
  /** Tried in this order. */
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  /** Unset leaves it to the subnet. */
  readonly publicIp?: boolean;
  /** A name, or an ARN. */
  readonly instanceProfile?: string;
  readonly profile?: string;
  readonly credentialsFile?: string;
  /** Where EC2's API is, instead of AWS's own address for the region. An addition of ours. */
  readonly endpointUrl?: string;
  readonly timeoutMs: number;
}

/** An `aws` runner block, merged and with defaults filled in. */
export interface AwsRunner {
  /** Tried in this order within a subnet; none when the launch template gives it. */
  readonly instanceTypes: readonly string[];
  /** Empty when the launch template gives it. */
  readonly image: string;
  /** Bytes, whole GiB; 0 leaves it to the launch template. */
  readonly diskSize: bigint;
  /** Empty leaves it to the launch template. */
  readonly diskType: string;
  /** 0 is unset. */
  readonly diskIops: number;
  /** MiB/s; 0 is unset. */
  readonly diskThroughput: number;
  /** As written, version included; empty for none. */
  readonly launchTemplate: string;
  readonly spot: boolean;
  /** `undefined` when never set, which has another revision than empty. */
  readonly tags: ReadonlyMap<string, string> | undefined;
  readonly userData: string;
}
