/** A machine image. */
export interface Ec2Image {
  readonly id: string;
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  /** Absent for an image that has none, as instance-store images do. */
  readonly rootDeviceName?: string;
  /** Size of the root volume's snapshot; no smaller root volume can be made. */
  readonly rootVolumeGiB: number;
}

/** A subnet. */
export interface Ec2Subnet {
  readonly id: string;
  readonly vpcId: string;
  readonly availabilityZone: string;
  /** Whether instances get a public address unless told otherwise. */
  readonly mapPublicIp: boolean;
  /** Whether a request that names no subnet may land here. */
  readonly defaultForZone: boolean;
  /** How many instances it has addresses for. */
  readonly addresses: number;
}

/** A security group. */
export interface Ec2SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
}

/** An instance type. */
export interface Ec2InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly architecture: 'x86_64' | 'arm64';
  /** The zones that offer it; absent for all. */
  readonly zones?: readonly string[];
}

/** A version of a launch template: parameters as RunInstances takes them, by their names in the query. */
export type Ec2LaunchTemplateData = Readonly<Record<string, string>>;

/** A launch template. */
export interface Ec2LaunchTemplate {
  readonly id: string;
  readonly name: string;
  /** Version 1 first. */
  readonly versions: readonly Ec2LaunchTemplateData[];
  /** Default 1. */
  readonly defaultVersion?: number;
}

/** What the account has: everything a request may name. */
export interface Ec2Catalogue {
  readonly images: readonly Ec2Image[];
  readonly subnets: readonly Ec2Subnet[];
  readonly securityGroups: readonly Ec2SecurityGroup[];
  readonly instanceTypes: readonly Ec2InstanceType[];
  readonly launchTemplates: readonly Ec2LaunchTemplate[];
  /** Names of instance profiles. */
  readonly instanceProfiles: readonly string[];
}

const VPC = 'vpc-0a1b2c3d4e5f60718';

/** An account with an image for each architecture, three subnets in two zones, and a few sizes of machine. */
export function defaultCatalogue(region: string): Ec2Catalogue {
  const subnet = { vpcId: VPC, mapPublicIp: false, defaultForZone: false, addresses: 4000 };
  return {
    images: [
      {
        id: 'ami-0123456789abcdef0',
        name: 'runner-x64',
        architecture: 'x86_64',
        rootDeviceName: '/dev/sda1',
        rootVolumeGiB: 8,
      },
      {
        id: 'ami-0fedcba9876543210',
        name: 'runner-arm64',
        architecture: 'arm64',
        rootDeviceName: '/dev/xvda',
        rootVolumeGiB: 8,
      },
    ],
    subnets: [
      { ...subnet, id: 'subnet-0aaaaaaaaaaaaaaa1', availabilityZone: `${region}a`, defaultForZone: true },
      { ...subnet, id: 'subnet-0bbbbbbbbbbbbbbb2', availabilityZone: `${region}b` },
      { ...subnet, id: 'subnet-0ccccccccccccccc3', availabilityZone: `${region}b`, mapPublicIp: true },
    ],
    securityGroups: [
      { id: 'sg-0123456789abcdef0', name: 'default', vpcId: VPC },
      { id: 'sg-0aaaaaaaaaaaaaaa1', name: 'runners', vpcId: VPC },
    ],
    instanceTypes: [
      { name: 't3.medium', vcpus: 2, architecture: 'x86_64' },
      { name: 'm5.large', vcpus: 2, architecture: 'x86_64' },
      { name: 'm6i.large', vcpus: 2, architecture: 'x86_64' },
      { name: 'm6i.xlarge', vcpus: 4, architecture: 'x86_64' },
      { name: 'c6i.large', vcpus: 2, architecture: 'x86_64' },
      { name: 'm7g.large', vcpus: 2, architecture: 'arm64' },
    ],
    launchTemplates: [],
    instanceProfiles: ['rungar-runner'],
  };
}
