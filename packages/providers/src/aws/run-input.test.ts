import { describe, expect, test } from 'vitest';
import { labelsOf, someRunner, someSettings } from '../../test/aws-builders.js';
import { type Launch, runInstancesInput, setsRootVolume } from './run-input.js';
import type { AwsRunner, AwsSettings } from './settings.js';

const attempt = { subnet: 'subnet-0a1b2c3d', instanceType: 'm7i.xlarge' };

function inputOf(spec: Partial<AwsRunner> = {}, settings: Partial<AwsSettings> = {}, more: Partial<Launch> = {}) {
  const launch = {
    name: 'linux-1ff1015a',
    labels: labelsOf('linux-1ff1015a'),
    spec: someRunner(spec),
    userData: 'IyE=',
    ...more,
  };
  return runInstancesInput(someSettings(settings), launch, attempt);
}

const LABEL_TAGS = [
  { Key: 'rungar.sh/installation', Value: 'gh-4e3651f01be5' },
  { Key: 'rungar.sh/managed', Value: 'true' },
  { Key: 'rungar.sh/revision', Value: 'a77297f56884' },
  { Key: 'rungar.sh/runner', Value: 'linux-1ff1015a' },
  { Key: 'rungar.sh/scale-set', Value: 'linux' },
];

test('asks for one machine with everything the block and the entry say', () => {
  const tags = [{ Key: 'Name', Value: 'linux-1ff1015a' }, ...LABEL_TAGS];
  expect(inputOf({}, {}, { rootDevice: '/dev/xvda' })).toEqual({
    MinCount: 1,
    MaxCount: 1,
    ClientToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    InstanceType: 'm7i.xlarge',
    ImageId: 'ami-0a1b2c3d4e5f60718',
    UserData: 'IyE=',
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-0a1b2c3d', DeleteOnTermination: true }],
    InstanceInitiatedShutdownBehavior: 'terminate',
    MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required' },
    TagSpecifications: [
      { ResourceType: 'instance', Tags: tags },
      { ResourceType: 'volume', Tags: tags },
    ],
    BlockDeviceMappings: [
      { DeviceName: '/dev/xvda', Ebs: { VolumeType: 'gp3', DeleteOnTermination: true, VolumeSize: 50 } },
    ],
  });
});

test('gives every setting of the disk', () => {
  const spec = { diskSize: 100n * 1024n ** 3n, diskIops: 6000, diskThroughput: 500 };
  expect(inputOf(spec, {}, { rootDevice: '/dev/sda1' }).BlockDeviceMappings?.[0]?.Ebs).toEqual({
    VolumeType: 'gp3',
    DeleteOnTermination: true,
    VolumeSize: 100,
    Iops: 6000,
    Throughput: 500,
  });
});

test('leaves to a launch template what it gives', () => {
  const spec = { instanceTypes: [], image: '', diskSize: 0n, diskType: '', launchTemplate: 'runner' };
  const launch = { name: 'r', labels: labelsOf('r'), spec: someRunner(spec), userData: 'IyE=' };
  const input = runInstancesInput(someSettings(), launch, { subnet: 'subnet-0a1b2c3d' });
  expect(input).not.toHaveProperty('InstanceType');
  expect(input).not.toHaveProperty('ImageId');
  expect(input).not.toHaveProperty('BlockDeviceMappings');
});

test.each([
  ['lt-0a1b2c3d', { LaunchTemplateId: 'lt-0a1b2c3d' }],
  ['lt-0a1b2c3d:3', { LaunchTemplateId: 'lt-0a1b2c3d', Version: '3' }],
  ['runner-gpu:$Latest', { LaunchTemplateName: 'runner-gpu', Version: '$Latest' }],
  ['lt-runner', { LaunchTemplateName: 'lt-runner' }],
  ['lt-0a1b2c3', { LaunchTemplateName: 'lt-0a1b2c3' }],
])('reads the launch template %s', (launchTemplate, want) => {
  expect(inputOf({ launchTemplate }).LaunchTemplate).toEqual(want);
});

test.each([
  ['runner', { Name: 'runner' }],
  ['arn:aws:iam::123456789012:instance-profile/runner', { Arn: 'arn:aws:iam::123456789012:instance-profile/runner' }],
])('reads the instance profile %s', (instanceProfile, want) => {
  expect(inputOf({}, { instanceProfile }).IamInstanceProfile).toEqual(want);
});

test('a spot machine is asked for once and ends when it is taken back', () => {
  expect(inputOf({ spot: true }).InstanceMarketOptions).toEqual({
    MarketType: 'spot',
    SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
  });
});

test.each([true, false])('a public address is asked for or refused when the entry says so: %s', (publicIp) => {
  const [network] = inputOf({}, { publicIp, securityGroups: ['sg-0a1b2c3d', 'sg-1a1b2c3d'] }).NetworkInterfaces ?? [];
  expect(network).toMatchObject({ AssociatePublicIpAddress: publicIp, Groups: ['sg-0a1b2c3d', 'sg-1a1b2c3d'] });
});

test("the block's tags come between the name and the labels, which win", () => {
  const tags = new Map([
    ['Owner', 'R&D'],
    ['rungar.sh/runner', 'not-this-one'],
    ['__proto__', 'odd'],
  ]);
  const [instance] = inputOf({ tags }).TagSpecifications ?? [];
  expect(instance?.Tags).toEqual([
    { Key: 'Name', Value: 'linux-1ff1015a' },
    { Key: 'Owner', Value: 'R&D' },
    { Key: '__proto__', Value: 'odd' },
    ...LABEL_TAGS,
  ]);
});

describe('setsRootVolume', () => {
  const nothing = { diskSize: 0n, diskType: '', diskIops: 0, diskThroughput: 0 };
  test.each<[boolean, Partial<AwsRunner>]>([
    [false, {}],
    [true, { diskSize: 1024n ** 3n }],
    [true, { diskType: 'gp2' }],
    [true, { diskIops: 3000 }],
    [true, { diskThroughput: 125 }],
  ])('%s for %o', (want, some) => {
    expect(setsRootVolume(someRunner({ ...nothing, ...some }))).toBe(want);
  });
});
