import type { Ec2Catalogue, Ec2Image, Ec2InstanceType, Ec2SecurityGroup, Ec2Subnet } from './catalogue.js';
import { Ec2Error, invalidCombination, invalidValue, missingParameter } from './errors.js';
import type { BlockDeviceRequest, LaunchRequest, VolumeType } from './launch-request.js';
import type { Tags } from './tags.js';

/** A root volume as it will be made. */
export interface RootVolume {
  readonly deviceName: string;
  readonly sizeGiB: number;
  readonly type: VolumeType;
  readonly iops?: number;
  /** MiB/s. */
  readonly throughput?: number;
  readonly deleteOnTermination: boolean;
}

/** Everything about the instances of one launch that the request and the account decide. */
export interface LaunchPlan {
  readonly image: Ec2Image;
  readonly type: Ec2InstanceType;
  readonly subnet: Ec2Subnet;
  readonly groups: readonly Ec2SecurityGroup[];
  readonly publicIp: boolean;
  /** Whether the network interface is deleted with its instance. */
  readonly networkInterfaceGoesAlong: boolean;
  readonly userData: string | undefined;
  readonly shutdownBehavior: 'stop' | 'terminate';
  readonly metadata: { readonly httpEndpoint: string; readonly httpTokens: string; readonly hopLimit: number };
  readonly tags: Tags;
  readonly volumeTags: Tags;
  readonly rootVolume: RootVolume | undefined;
  /** Its name. */
  readonly profile: string | undefined;
  readonly spot: boolean;
  readonly terminationProtected: boolean;
}

/**
 * Checks a launch against what the account has.
 * @throws Ec2Error the refusal EC2 has for the first thing that is wrong
 */
export function planLaunch(request: LaunchRequest, catalogue: Ec2Catalogue, accountId: string): LaunchPlan {
  const image = findImage(catalogue, request.imageId);
  const type = findType(catalogue, request.instanceType);
  const subnet = findSubnet(catalogue, request);
  const groups = findGroups(catalogue, request, subnet);
  refuseMismatch(image, type, subnet);
  const spot = request.spot ?? false;
  if (request.tags.has('spot-instances-request') && !spot) {
    throw invalidCombination(
      "The resource type 'spot-instances-request' can be tagged only with the market type 'spot'.",
    );
  }
  return {
    image,
    type,
    subnet,
    groups,
    spot,
    publicIp: request.networkInterface?.publicIp ?? subnet.mapPublicIp,
    networkInterfaceGoesAlong: request.networkInterface?.deleteOnTermination ?? true,
    userData: request.userData?.toString('utf8'),
    shutdownBehavior: request.shutdownBehavior ?? 'stop',
    metadata: {
      httpEndpoint: request.metadata?.httpEndpoint ?? 'enabled',
      httpTokens: request.metadata?.httpTokens ?? 'optional',
      hopLimit: request.metadata?.hopLimit ?? 1,
    },
    tags: request.tags.get('instance') ?? new Map(),
    volumeTags: request.tags.get('volume') ?? new Map(),
    rootVolume: planRootVolume(image, request.blockDevices),
    profile: findProfile(catalogue, request.profile, accountId),
    terminationProtected: request.terminationProtected ?? false,
  };
}

function findImage(catalogue: Ec2Catalogue, id: string | undefined): Ec2Image {
  if (id === undefined) throw missingParameter('ImageId');
  const image = catalogue.images.find((known) => known.id === id);
  if (image === undefined) throw new Ec2Error('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`);
  return image;
}

function findType(catalogue: Ec2Catalogue, name: string | undefined): Ec2InstanceType {
  if (name === undefined || name === '') throw missingParameter('InstanceType');
  const type = catalogue.instanceTypes.find((known) => known.name === name);
  if (type === undefined) throw invalidValue(`Invalid value '${name}' for InstanceType.`);
  return type;
}

function findSubnet(catalogue: Ec2Catalogue, request: LaunchRequest): Ec2Subnet {
  const id = request.networkInterface?.subnetId ?? request.subnetId;
  if (id === undefined) {
    const inZone = catalogue.subnets.filter(({ availabilityZone }) =>
      [undefined, availabilityZone].includes(request.zone),
    );
    const subnet = inZone.find(({ defaultForZone }) => defaultForZone);
    if (subnet === undefined) {
      throw new Ec2Error(
        'VPCIdNotSpecified',
        'No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.',
      );
    }
    return subnet;
  }
  const subnet = catalogue.subnets.find((known) => known.id === id);
  if (subnet === undefined) throw new Ec2Error('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  if (request.zone !== undefined && request.zone !== subnet.availabilityZone) {
    throw invalidValue(`The availability zone '${request.zone}' does not contain the subnet '${id}'.`);
  }
  return subnet;
}

function findGroups(catalogue: Ec2Catalogue, request: LaunchRequest, subnet: Ec2Subnet): Ec2SecurityGroup[] {
  const ids = request.networkInterface?.groupIds ?? request.groupIds;
  if (ids.length === 0) {
    return catalogue.securityGroups.filter(({ name, vpcId }) => name === 'default' && vpcId === subnet.vpcId);
  }
  return ids.map((id) => {
    if (id === '') throw invalidValue('Value () for parameter groupId is invalid. The value cannot be empty');
    const group = catalogue.securityGroups.find((known) => known.id === id);
    if (group === undefined) throw new Ec2Error('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
    if (group.vpcId !== subnet.vpcId) {
      throw new Ec2Error(
        'InvalidParameter',
        `Security group ${id} and subnet ${subnet.id} belong to different networks.`,
      );
    }
    return group;
  });
}

function findProfile(
  catalogue: Ec2Catalogue,
  profile: LaunchRequest['profile'],
  accountId: string,
): string | undefined {
  if (profile === undefined) return undefined;
  const { arn, name = '' } = profile;
  const known = catalogue.instanceProfiles.find((candidate) =>
    arn === undefined ? candidate === name : arn === profileArn(accountId, candidate),
  );
  if (known !== undefined) return known;
  const [value, parameter] = arn === undefined ? [name, 'iamInstanceProfile.name'] : [arn, 'iamInstanceProfile.arn'];
  throw invalidValue(
    `Value (${value}) for parameter ${parameter} is invalid. Invalid IAM Instance Profile ${arn === undefined ? 'name' : 'ARN'}`,
  );
}

/** The ARN of an instance profile of the account. */
export function profileArn(accountId: string, name: string): string {
  return `arn:aws:iam::${accountId}:instance-profile/${name}`;
}

function refuseMismatch(image: Ec2Image, type: Ec2InstanceType, subnet: Ec2Subnet): void {
  if (image.architecture !== type.architecture) {
    throw invalidValue(
      `The architecture '${type.architecture}' of the specified instance type does not match the architecture ` +
        `'${image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
    );
  }
  const { availabilityZone: zone } = subnet;
  if (type.zones === undefined || type.zones.includes(zone)) return;
  throw new Ec2Error(
    'Unsupported',
    `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${zone}). ` +
      `Please retry your request by not specifying an Availability Zone or choosing ${type.zones.join(', ')}.`,
  );
}

const SMALLEST_THROUGHPUT = 125;
const SMALLEST_GP3_IOPS = 3000;

/** Most GiB a volume of a type can have. */
const LARGEST_VOLUME: Readonly<Record<VolumeType, number>> = {
  gp2: 16_384,
  gp3: 65_536,
  io1: 16_384,
  io2: 65_536,
  st1: 16_384,
  sc1: 16_384,
  standard: 1024,
};

function planRootVolume(image: Ec2Image, devices: LaunchRequest['blockDevices']): RootVolume | undefined {
  for (const name of devices.keys()) {
    // A further disk would be one more thing to emulate, and to leave behind.
    if (name !== image.rootDeviceName) {
      throw new Ec2Error('InvalidBlockDeviceMapping', `The device '${name}' is not the root device of '${image.id}'.`);
    }
  }
  if (image.rootDeviceName === undefined) return undefined;
  const asked = devices.get(image.rootDeviceName) ?? {};
  const type = asked.type ?? 'gp3';
  const sizeGiB = asked.sizeGiB ?? image.rootVolumeGiB;
  checkVolume(image, type, sizeGiB, asked);
  const iops = asked.iops ?? (type === 'gp3' ? SMALLEST_GP3_IOPS : undefined);
  const throughput = asked.throughput ?? (type === 'gp3' ? SMALLEST_THROUGHPUT : undefined);
  return {
    deviceName: image.rootDeviceName,
    sizeGiB,
    type,
    ...(iops !== undefined && { iops }),
    ...(throughput !== undefined && { throughput }),
    deleteOnTermination: asked.deleteOnTermination ?? true,
  };
}

function checkVolume(image: Ec2Image, type: VolumeType, sizeGiB: number, asked: BlockDeviceRequest): void {
  if (sizeGiB < image.rootVolumeGiB) {
    throw new Ec2Error(
      'InvalidBlockDeviceMapping',
      `Volume of size ${sizeGiB}GB is smaller than snapshot of '${image.id}', expect size >= ${image.rootVolumeGiB}GB`,
    );
  }
  if (sizeGiB > LARGEST_VOLUME[type]) {
    throw invalidValue(
      `Volume of ${sizeGiB}GiB is too large for volume type ${type}; maximum is ${LARGEST_VOLUME[type]}GiB.`,
    );
  }
  if (asked.iops !== undefined) checkIops(type, sizeGiB, asked.iops);
  if (asked.throughput !== undefined) checkThroughput(type, asked.throughput, asked.iops ?? SMALLEST_GP3_IOPS);
}

function checkIops(type: VolumeType, sizeGiB: number, iops: number): void {
  if (!['gp3', 'io1', 'io2'].includes(type))
    throw invalidCombination(`The parameter iops is not supported for ${type} volumes.`);
  if (type !== 'gp3') return;
  if (iops < SMALLEST_GP3_IOPS || iops > 80_000) {
    throw invalidValue(`Volume iops of ${iops} is invalid for volume type gp3; must be ${SMALLEST_GP3_IOPS} to 80000.`);
  }
  if (iops > SMALLEST_GP3_IOPS && iops > 500 * sizeGiB) {
    throw invalidCombination(`Iops to volume size ratio of ${iops / sizeGiB} is too high; maximum is 500.`);
  }
}

function checkThroughput(type: VolumeType, throughput: number, iops: number): void {
  if (type !== 'gp3') throw invalidCombination(`The parameter throughput is not supported for ${type} volumes.`);
  if (throughput < SMALLEST_THROUGHPUT || throughput > 2000) {
    throw invalidValue(
      `Throughput of ${throughput} is invalid for volume type gp3; must be ${SMALLEST_THROUGHPUT} to 2000.`,
    );
  }
  if (throughput > SMALLEST_THROUGHPUT && throughput > iops / 4) {
    throw invalidCombination(
      `Throughput (MiBps) to iops ratio of ${throughput / iops} is too high; maximum is 0.250000.`,
    );
  }
}
