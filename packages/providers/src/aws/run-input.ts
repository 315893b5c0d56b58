import type { _InstanceType, RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import type { Labels } from '@rungar/model';
import { type Attempt, clientToken } from './attempts.js';
import { machineTags } from './labels.js';
import type { AwsRunner, AwsSettings } from './settings.js';

/** What a `RunInstances` request is made of, beside the attempt. */
export interface Launch {
  readonly name: string;
  readonly labels: Labels;
  readonly spec: AwsRunner;
  /** Base64. */
  readonly userData: string;
  /** The AMI's root device, when the runner block sets the root volume. */
  readonly rootDevice?: string;
}

const BYTES_PER_GIB = 1024n ** 3n;
const TEMPLATE_ID = /^lt-[0-9a-f]{8,17}$/;

/** Whether the runner block sets anything of the root volume. */
export function setsRootVolume(spec: AwsRunner): boolean {
  return spec.diskSize > 0n || spec.diskType !== '' || spec.diskIops > 0 || spec.diskThroughput > 0;
}

/** The request that makes one machine: the same whenever the attempt is repeated. */
export function runInstancesInput(settings: AwsSettings, launch: Launch, attempt: Attempt): RunInstancesCommandInput {
  const { spec } = launch;
  const tags = machineTags(launch.name, spec.tags, launch.labels);
  return {
    MinCount: 1,
    MaxCount: 1,
    ClientToken: clientToken(launch.name, attempt),
    ...(attempt.instanceType !== undefined && { InstanceType: attempt.instanceType as _InstanceType }),
    ...(spec.image !== '' && { ImageId: spec.image }),
    UserData: launch.userData,
    NetworkInterfaces: [networkInterface(settings, attempt.subnet)],
    InstanceInitiatedShutdownBehavior: 'terminate',
    MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required' },
    TagSpecifications: [
      { ResourceType: 'instance', Tags: tags },
      { ResourceType: 'volume', Tags: tags },
    ],
    ...(launch.rootDevice !== undefined && { BlockDeviceMappings: [rootVolume(spec, launch.rootDevice)] }),
    ...(spec.launchTemplate !== '' && { LaunchTemplate: launchTemplate(spec.launchTemplate) }),
    ...(settings.instanceProfile !== undefined && { IamInstanceProfile: instanceProfile(settings.instanceProfile) }),
    ...(spec.spot && {
      InstanceMarketOptions: {
        MarketType: 'spot',
        SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
      },
    }),
  };
}

type NetworkInterface = NonNullable<RunInstancesCommandInput['NetworkInterfaces']>[number];
type BlockDevice = NonNullable<RunInstancesCommandInput['BlockDeviceMappings']>[number];
type LaunchTemplate = NonNullable<RunInstancesCommandInput['LaunchTemplate']>;
type InstanceProfile = NonNullable<RunInstancesCommandInput['IamInstanceProfile']>;
type Volume = NonNullable<BlockDevice['Ebs']>;

function networkInterface(settings: AwsSettings, subnet: string): NetworkInterface {
  return {
    DeviceIndex: 0,
    SubnetId: subnet,
    ...(settings.securityGroups.length > 0 && { Groups: [...settings.securityGroups] }),
    ...(settings.publicIp !== undefined && { AssociatePublicIpAddress: settings.publicIp }),
    DeleteOnTermination: true,
  };
}

function rootVolume(spec: AwsRunner, device: string): BlockDevice {
  const volume: Volume = {
    DeleteOnTermination: true,
    ...(spec.diskType !== '' && { VolumeType: spec.diskType as NonNullable<Volume['VolumeType']> }),
    ...(spec.diskSize > 0n && { VolumeSize: Number(spec.diskSize / BYTES_PER_GIB) }),
    ...(spec.diskIops > 0 && { Iops: spec.diskIops }),
    ...(spec.diskThroughput > 0 && { Throughput: spec.diskThroughput }),
  };
  return { DeviceName: device, Ebs: volume };
}

/** `ID`, `NAME`, `ID:VERSION` or `NAME:VERSION`; the first colon splits. */
export function launchTemplate(written: string): LaunchTemplate {
  const colon = written.indexOf(':');
  const template = colon === -1 ? written : written.slice(0, colon);
  return {
    ...(TEMPLATE_ID.test(template) ? { LaunchTemplateId: template } : { LaunchTemplateName: template }),
    ...(colon !== -1 && { Version: written.slice(colon + 1) }),
  };
}

function instanceProfile(written: string): InstanceProfile {
  return written.startsWith('arn:') ? { Arn: written } : { Name: written };
}
