import { Ec2Error, invalidCombination, invalidValue, missingParameter } from './errors.js';
import type { QueryParameters } from './query.js';
import { readTagSpecifications, type TagsByResource } from './tags.js';

/** What EC2 takes as user data: decoded, and as it comes. */
const MAX_USER_DATA_BYTES = 16_384;
const MAX_ENCODED_USER_DATA_BYTES = 25_600;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const VOLUME_TYPES = ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1', 'standard'] as const;
const ENABLED_OR_NOT = ['enabled', 'disabled'] as const;

export type VolumeType = (typeof VOLUME_TYPES)[number];

/** A `BlockDeviceMapping`, as far as it was given. */
export interface BlockDeviceRequest {
  readonly deleteOnTermination?: boolean;
  readonly sizeGiB?: number;
  readonly type?: VolumeType;
  readonly iops?: number;
  readonly throughput?: number;
}

/** The `NetworkInterface` of a launch. */
export interface NetworkInterfaceRequest {
  readonly subnetId?: string;
  readonly groupIds: readonly string[];
  readonly publicIp?: boolean;
  readonly deleteOnTermination?: boolean;
}

export interface MetadataRequest {
  readonly httpEndpoint?: 'enabled' | 'disabled';
  readonly httpTokens?: 'optional' | 'required';
  readonly hopLimit?: number;
}

/** What RunInstances, or a launch template, asks for: read and checked by itself, not yet against the account. */
export interface LaunchRequest {
  readonly imageId?: string;
  readonly instanceType?: string;
  readonly subnetId?: string;
  readonly groupIds: readonly string[];
  readonly zone?: string;
  readonly networkInterface?: NetworkInterfaceRequest;
  /** Decoded. */
  readonly userData?: Buffer;
  readonly shutdownBehavior?: 'stop' | 'terminate';
  readonly metadata?: MetadataRequest;
  readonly tags: TagsByResource;
  /** By device name. */
  readonly blockDevices: ReadonlyMap<string, BlockDeviceRequest>;
  readonly profile?: { readonly arn?: string; readonly name?: string };
  readonly spot?: boolean;
  readonly terminationProtected?: boolean;
}

/** Reads what a launch may ask for. `params` is a request, or the data of a launch template. */
export function readLaunchRequest(params: QueryParameters): LaunchRequest {
  const imageId = params.text('ImageId');
  if (imageId !== undefined && !/^ami-[0-9a-f]{8,17}$/.test(imageId)) {
    throw new Ec2Error('InvalidAMIID.Malformed', `Invalid id: "${imageId}" (expecting "ami-...")`);
  }
  const given = {
    imageId,
    instanceType: params.text('InstanceType'),
    subnetId: params.text('SubnetId'),
    zone: params.structure('Placement')?.text('AvailabilityZone'),
    networkInterface: readNetworkInterface(params),
    userData: readUserData(params.text('UserData')),
    shutdownBehavior: params.choice('InstanceInitiatedShutdownBehavior', ['stop', 'terminate']),
    metadata: readMetadata(params.structure('MetadataOptions')),
    profile: readProfile(params.structure('IamInstanceProfile')),
    spot: readSpot(params.structure('InstanceMarketOptions')),
    terminationProtected: params.boolean('DisableApiTermination'),
  };
  const request: LaunchRequest = {
    ...withoutUndefined(given),
    groupIds: params.list('SecurityGroupId'),
    tags: readTagSpecifications(params),
    blockDevices: readBlockDevices(params),
  };
  if (request.networkInterface !== undefined) refuseInstanceLevelNetwork(request);
  return request;
}

/** What a launch comes to: the request's word counts, tags and devices key by key, everything else whole. */
export function mergeLaunchRequests(template: LaunchRequest, request: LaunchRequest): LaunchRequest {
  const replacesNetwork = request.networkInterface !== undefined;
  const { networkInterface, subnetId, ...rest } = template;
  const base = replacesNetwork ? rest : withoutUndefined({ ...rest, networkInterface, subnetId });
  const merged: LaunchRequest = {
    ...base,
    ...request,
    groupIds: replacesNetwork || request.groupIds.length > 0 ? request.groupIds : template.groupIds,
    tags: mergeMaps(template.tags, request.tags, (below, above) => new Map([...below, ...above])),
    blockDevices: mergeMaps(template.blockDevices, request.blockDevices, (below, above) => ({ ...below, ...above })),
  };
  if (merged.networkInterface !== undefined) refuseInstanceLevelNetwork(merged);
  return merged;
}

function mergeMaps<T>(
  below: ReadonlyMap<string, T>,
  above: ReadonlyMap<string, T>,
  merge: (below: T, above: T) => T,
): Map<string, T> {
  const merged = new Map(below);
  for (const [key, value] of above) {
    const under = merged.get(key);
    merged.set(key, under === undefined ? value : merge(under, value));
  }
  return merged;
}

function refuseInstanceLevelNetwork(request: LaunchRequest): void {
  const refuse = (what: string): Ec2Error =>
    invalidCombination(`Network interfaces and an instance-level ${what} may not be specified on the same request`);
  if (request.subnetId !== undefined) throw refuse('subnet ID');
  if (request.groupIds.length > 0) throw refuse('security groups');
}

function readNetworkInterface(params: QueryParameters): NetworkInterfaceRequest | undefined {
  const found = params.structure('NetworkInterface.1');
  if (found === undefined) return undefined;
  const index = found.integer('DeviceIndex');
  if (index === undefined) throw new Ec2Error('MissingParameter', 'Each network interface requires a device index.');
  if (index !== 0)
    throw invalidValue(`Invalid value '${index}' for DeviceIndex: the first network interface has index 0.`);
  return {
    ...withoutUndefined({
      subnetId: found.text('SubnetId'),
      publicIp: found.boolean('AssociatePublicIpAddress'),
      deleteOnTermination: found.boolean('DeleteOnTermination'),
    }),
    groupIds: found.list('SecurityGroupId'),
  };
}

function readUserData(encoded: string | undefined): Buffer | undefined {
  if (encoded === undefined || encoded === '') return undefined;
  if (encoded.length > MAX_ENCODED_USER_DATA_BYTES) {
    throw invalidValue(`Encoded User data is limited to ${MAX_ENCODED_USER_DATA_BYTES} bytes`);
  }
  if (!BASE64.test(encoded)) throw new Ec2Error('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const data = Buffer.from(encoded, 'base64');
  if (data.length > MAX_USER_DATA_BYTES) throw invalidValue(`User data is limited to ${MAX_USER_DATA_BYTES} bytes`);
  return data;
}

function readMetadata(options: QueryParameters | undefined): MetadataRequest | undefined {
  if (options === undefined) return undefined;
  const hopLimit = options.integer('HttpPutResponseHopLimit');
  if (hopLimit !== undefined && (hopLimit < 1 || hopLimit > 64)) {
    throw invalidValue(`Value (${hopLimit}) for parameter HttpPutResponseHopLimit is invalid. Must be 1 to 64.`);
  }
  return withoutUndefined({
    httpEndpoint: options.choice('HttpEndpoint', ENABLED_OR_NOT),
    httpTokens: options.choice('HttpTokens', ['optional', 'required']),
    hopLimit,
  });
}

function readProfile(profile: QueryParameters | undefined): LaunchRequest['profile'] {
  if (profile === undefined) return undefined;
  const arn = profile.text('Arn');
  const name = profile.text('Name');
  if (arn !== undefined && name !== undefined) {
    throw invalidCombination(
      "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'",
    );
  }
  return withoutUndefined({ arn, name });
}

function readSpot(market: QueryParameters | undefined): boolean | undefined {
  if (market === undefined) return undefined;
  const type = market.choice('MarketType', ['spot']);
  const options = market.structure('SpotOptions');
  if (options !== undefined && type === undefined) throw missingParameter('InstanceMarketOptions.MarketType');
  const kind = options?.choice('SpotInstanceType', ['one-time', 'persistent']) ?? 'one-time';
  const interruption =
    options?.choice('InstanceInterruptionBehavior', ['hibernate', 'stop', 'terminate']) ?? 'terminate';
  if (kind === 'one-time' && interruption !== 'terminate') {
    throw invalidCombination(
      `The interruption behavior '${interruption}' is not supported with one-time spot requests.`,
    );
  }
  return type === 'spot';
}

function readBlockDevices(params: QueryParameters): Map<string, BlockDeviceRequest> {
  const devices = new Map<string, BlockDeviceRequest>();
  for (const mapping of params.structures('BlockDeviceMapping')) {
    const deviceName = mapping.requiredText('DeviceName');
    if (devices.has(deviceName)) {
      throw new Ec2Error(
        'InvalidBlockDeviceMapping',
        `Duplicate block device name '${deviceName}' in the block device mapping.`,
      );
    }
    devices.set(deviceName, readBlockDevice(mapping.structure('Ebs')));
  }
  return devices;
}

function readBlockDevice(ebs: QueryParameters | undefined): BlockDeviceRequest {
  if (ebs === undefined) return {};
  return withoutUndefined({
    deleteOnTermination: ebs.boolean('DeleteOnTermination'),
    sizeGiB: ebs.integer('VolumeSize'),
    type: ebs.choice('VolumeType', VOLUME_TYPES),
    iops: ebs.integer('Iops'),
    throughput: ebs.integer('Throughput'),
  });
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
