import { describe, expect, test } from 'vitest';
import {
  ARM_IMAGE,
  GROUP,
  IMAGE,
  LAUNCH_FORM,
  launch,
  launchOne,
  list,
  NOON,
  post,
  SUBNET_A,
  SUBNET_B,
  SUBNET_B_PUBLIC,
  startWorld,
  textOf,
} from '../../test/ec2.js';
import { defaultCatalogue } from './catalogue.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a launch', () => {
  test('makes an instance of everything it was asked for', async () => {
    const { ec2, client } = await startWorld();
    const Tags = [
      { Key: 'Name', Value: 'linux-1' },
      { Key: 'rungar.sh/managed', Value: 'true' },
    ];
    const {
      Instances = [],
      ReservationId,
      OwnerId,
    } = await client.send(
      launch({
        ClientToken: 'token-1',
        UserData: base64('#!/bin/bash\necho ü\n'),
        NetworkInterfaces: [
          {
            DeviceIndex: 0,
            SubnetId: SUBNET_A,
            Groups: [GROUP],
            AssociatePublicIpAddress: true,
            DeleteOnTermination: true,
          },
        ],
        MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required' },
        TagSpecifications: [
          { ResourceType: 'instance', Tags },
          { ResourceType: 'volume', Tags },
        ],
        BlockDeviceMappings: [
          {
            DeviceName: '/dev/sda1',
            Ebs: { VolumeType: 'gp3', VolumeSize: 50, Iops: 4000, Throughput: 250, DeleteOnTermination: true },
          },
        ],
        IamInstanceProfile: { Name: 'rungar-runner' },
        InstanceMarketOptions: {
          MarketType: 'spot',
          SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
        },
      }),
    );
    expect([OwnerId, ReservationId]).toEqual(['123456789012', expect.stringMatching(/^r-[0-9a-f]{17}$/)]);
    expect(Instances).toHaveLength(1);
    expect(Instances[0]).toMatchObject({
      InstanceId: expect.stringMatching(/^i-[0-9a-f]{17}$/) as string,
      ImageId: IMAGE,
      InstanceType: 'm5.large',
      State: { Code: 0, Name: 'pending' },
      StateReason: { Code: 'pending', Message: 'pending' },
      LaunchTime: new Date(NOON),
      Placement: { AvailabilityZone: 'eu-central-1a', Tenancy: 'default' },
      SubnetId: SUBNET_A,
      SecurityGroups: [{ GroupId: GROUP, GroupName: 'runners' }],
      ClientToken: 'token-1',
      Tags,
      InstanceLifecycle: 'spot',
      RootDeviceName: '/dev/sda1',
      MetadataOptions: { HttpTokens: 'required', HttpEndpoint: 'enabled' },
      IamInstanceProfile: { Arn: 'arn:aws:iam::123456789012:instance-profile/rungar-runner' },
      PublicIpAddress: expect.any(String) as string,
    });
    expect(ec2.instances()).toMatchObject([
      {
        userData: '#!/bin/bash\necho ü\n',
        shutdownBehavior: 'terminate',
        httpTokens: 'required',
        spot: true,
        volumeTags: { Name: 'linux-1', 'rungar.sh/managed': 'true' },
        rootVolume: {
          deviceName: '/dev/sda1',
          sizeGiB: 50,
          type: 'gp3',
          iops: 4000,
          throughput: 250,
          deleteOnTermination: true,
        },
        instanceProfile: 'rungar-runner',
      },
    ]);
  });

  test("leaves the public address to the subnet, and the groups to the network's default", async () => {
    const { ec2, client } = await startWorld();
    await launchOne(client, { NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_A }] });
    await launchOne(client, { NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_B_PUBLIC }] });
    await launchOne(client, {
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_B_PUBLIC, AssociatePublicIpAddress: false }],
    });
    expect(ec2.instances().map(({ publicIp }) => publicIp !== undefined)).toEqual([false, true, false]);
    expect(ec2.instances()[0]?.securityGroupIds).toEqual(['sg-0123456789abcdef0']);
  });

  test('takes a subnet and groups of the instance too, or none at all', async () => {
    const { ec2 } = await startWorld();
    const { 'NetworkInterface.1.DeviceIndex': _, 'NetworkInterface.1.SubnetId': __, ...form } = LAUNCH_FORM;
    await post(ec2, { ...form, SubnetId: SUBNET_B, 'SecurityGroupId.1': GROUP });
    await post(ec2, form);
    expect(ec2.instances().map(({ subnetId, securityGroupIds }) => [subnetId, securityGroupIds])).toEqual([
      [SUBNET_B, [GROUP]],
      [SUBNET_A, ['sg-0123456789abcdef0']],
    ]);
  });

  test('makes several of one reservation, as many as there is room for', async () => {
    const { ec2, client } = await startWorld();
    ec2.setStock({ instanceType: 'm5.large' }, 2);
    const { Instances = [] } = await client.send(launch({ MinCount: 1, MaxCount: 5 }));
    expect(Instances.map(({ AmiLaunchIndex }) => AmiLaunchIndex)).toEqual([0, 1]);
    await expect(client.send(launch({ MinCount: 1, MaxCount: 5 }))).rejects.toMatchObject({
      name: 'InsufficientInstanceCapacity',
    });
  });
});

describe('a launch is refused', () => {
  const nic = 'NetworkInterface.1';
  const root = { 'BlockDeviceMapping.1.DeviceName': '/dev/sda1' };
  const tag = { 'TagSpecification.1.ResourceType': 'instance', 'TagSpecification.1.Tag.1.Key': 'a' };
  test.each<[name: string, changes: Record<string, string | undefined>, code: string, message: string]>([
    ['without a count', { MinCount: undefined }, 'MissingParameter', 'The request must contain the parameter MinCount'],
    ['for more than at most', { MinCount: '2' }, 'InvalidParameterValue', 'minimum count 2'],
    ['for no instances', { MinCount: '0' }, 'InvalidParameterValue', 'MinCount'],
    ['with a count that is none', { MaxCount: '1e3' }, 'InvalidParameterValue', 'MaxCount'],
    ['without an image', { ImageId: undefined }, 'MissingParameter', 'ImageId'],
    ['with an image id that is none', { ImageId: 'ami-XYZ' }, 'InvalidAMIID.Malformed', 'Invalid id: "ami-XYZ"'],
    [
      'with an unknown image',
      { ImageId: 'ami-00000000' },
      'InvalidAMIID.NotFound',
      "The image id '[ami-00000000]' does not exist",
    ],
    ['without a type', { InstanceType: undefined }, 'MissingParameter', 'InstanceType'],
    [
      'with an unknown type',
      { InstanceType: 'm5.huge' },
      'InvalidParameterValue',
      "Invalid value 'm5.huge' for InstanceType.",
    ],
    [
      'with a type of another architecture',
      { InstanceType: 'm7g.large' },
      'InvalidParameterValue',
      "'arm64' of the specified instance type does not match",
    ],
    [
      'with an image of another architecture',
      { ImageId: ARM_IMAGE },
      'InvalidParameterValue',
      "'arm64' of the specified AMI",
    ],
    [
      'with an unknown subnet',
      { [`${nic}.SubnetId`]: 'subnet-00000000' },
      'InvalidSubnetID.NotFound',
      "The subnet ID 'subnet-00000000' does not exist",
    ],
    [
      'with an unknown group',
      { [`${nic}.SecurityGroupId.1`]: 'sg-00000000' },
      'InvalidGroup.NotFound',
      "The security group 'sg-00000000' does not exist",
    ],
    ['with an empty group', { [`${nic}.SecurityGroupId.1`]: '' }, 'InvalidParameterValue', 'The value cannot be empty'],
    ['without a device index', { [`${nic}.DeviceIndex`]: undefined }, 'MissingParameter', 'device index'],
    ['with the second device index first', { [`${nic}.DeviceIndex`]: '1' }, 'InvalidParameterValue', 'DeviceIndex'],
    [
      'with a subnet twice',
      { SubnetId: SUBNET_A },
      'InvalidParameterCombination',
      'Network interfaces and an instance-level subnet ID may not be specified on the same request',
    ],
    [
      'with groups twice',
      { 'SecurityGroupId.1': GROUP },
      'InvalidParameterCombination',
      'instance-level security groups',
    ],
    [
      'with a zone its subnet is not in',
      { 'Placement.AvailabilityZone': 'eu-central-1b' },
      'InvalidParameterValue',
      'eu-central-1b',
    ],
    [
      'with user data that is not base64',
      { UserData: '#!/bin/bash' },
      'InvalidUserData.Malformed',
      'Invalid BASE64 encoding of user data.',
    ],
    [
      'with 16385 bytes of user data',
      { UserData: base64('x'.repeat(16_385)) },
      'InvalidParameterValue',
      'User data is limited to 16384 bytes',
    ],
    [
      'with 25601 bytes of encoded user data',
      { UserData: 'A'.repeat(25_604) },
      'InvalidParameterValue',
      'Encoded User data is limited to 25600 bytes',
    ],
    [
      'with an unknown shutdown behaviour',
      { InstanceInitiatedShutdownBehavior: 'reboot' },
      'InvalidParameterValue',
      'reboot',
    ],
    ['with unknown metadata options', { 'MetadataOptions.HttpTokens': 'yes' }, 'InvalidParameterValue', 'HttpTokens'],
    [
      'with an unknown profile',
      { 'IamInstanceProfile.Name': 'nobody' },
      'InvalidParameterValue',
      'Value (nobody) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    ],
    [
      'with a profile of another account',
      { 'IamInstanceProfile.Arn': 'arn:aws:iam::999999999999:instance-profile/rungar-runner' },
      'InvalidParameterValue',
      'iamInstanceProfile.arn',
    ],
    [
      'with a profile twice',
      { 'IamInstanceProfile.Name': 'a', 'IamInstanceProfile.Arn': 'b' },
      'InvalidParameterCombination',
      'iamInstanceProfile',
    ],
    ['with an unknown market', { 'InstanceMarketOptions.MarketType': 'stall' }, 'InvalidParameterValue', 'stall'],
    [
      'with spot options and no market',
      { 'InstanceMarketOptions.SpotOptions.SpotInstanceType': 'one-time' },
      'MissingParameter',
      'MarketType',
    ],
    [
      'with a one-time spot request that stops',
      {
        'InstanceMarketOptions.MarketType': 'spot',
        'InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior': 'stop',
      },
      'InvalidParameterCombination',
      "'stop'",
    ],
    ['with a client token of 65 characters', { ClientToken: 'x'.repeat(65) }, 'InvalidParameterValue', 'clientToken'],
    [
      'with a reserved tag',
      { ...tag, 'TagSpecification.1.Tag.1.Key': 'AWS:x' },
      'InvalidParameterValue',
      "Tag keys starting with 'aws:' are reserved for internal use",
    ],
    [
      'with a tag key of 129 characters',
      { ...tag, 'TagSpecification.1.Tag.1.Key': 'ü'.repeat(129) },
      'InvalidParameterValue',
      '128',
    ],
    [
      'with a tag value of 257 characters',
      { ...tag, 'TagSpecification.1.Tag.1.Value': 'ü'.repeat(257) },
      'InvalidParameterValue',
      '256',
    ],
    [
      'with a tag twice',
      { ...tag, 'TagSpecification.1.Tag.2.Key': 'a' },
      'InvalidParameterValue',
      "Duplicate tag key 'a' specified.",
    ],
    [
      'with a tag without a key',
      { ...tag, 'TagSpecification.1.Tag.1.Key': undefined, 'TagSpecification.1.Tag.1.Value': 'x' },
      'MissingParameter',
      'TagSpecification.1.Tag.1.Key',
    ],
    [
      'with a tag specification without tags',
      { 'TagSpecification.1.ResourceType': 'instance' },
      'InvalidParameterValue',
      'at least one tag',
    ],
    [
      'with tags for something else',
      { ...tag, 'TagSpecification.1.ResourceType': 'subnet' },
      'InvalidParameterValue',
      "'subnet' is not a valid taggable resource type for this operation.",
    ],
    [
      'with 51 tags',
      Object.fromEntries([
        ['TagSpecification.1.ResourceType', 'instance'],
        ...Array.from({ length: 51 }, (_, n) => [`TagSpecification.1.Tag.${n + 1}.Key`, `k${n}`]),
      ]) as Record<string, string>,
      'TagLimitExceeded',
      'maximum number',
    ],
    [
      'with a volume smaller than the image',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeSize': '7' },
      'InvalidBlockDeviceMapping',
      '8GB',
    ],
    [
      'with a volume larger than gp2 goes',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeSize': '16385', 'BlockDeviceMapping.1.Ebs.VolumeType': 'gp2' },
      'InvalidParameterValue',
      '16384GiB',
    ],
    [
      'with an unknown volume type',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeType': 'gp4' },
      'InvalidParameterValue',
      'gp4',
    ],
    [
      'with iops on gp2',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeType': 'gp2', 'BlockDeviceMapping.1.Ebs.Iops': '3000' },
      'InvalidParameterCombination',
      'iops is not supported for gp2',
    ],
    [
      'with throughput on gp2',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeType': 'gp2', 'BlockDeviceMapping.1.Ebs.Throughput': '125' },
      'InvalidParameterCombination',
      'throughput is not supported for gp2',
    ],
    [
      'with too many iops for its size',
      { ...root, 'BlockDeviceMapping.1.Ebs.VolumeSize': '8', 'BlockDeviceMapping.1.Ebs.Iops': '4001' },
      'InvalidParameterCombination',
      '500',
    ],
    [
      'with too much throughput for its iops',
      { ...root, 'BlockDeviceMapping.1.Ebs.Iops': '3000', 'BlockDeviceMapping.1.Ebs.Throughput': '751' },
      'InvalidParameterCombination',
      '0.25',
    ],
    [
      'with a device without a name',
      { 'BlockDeviceMapping.1.Ebs.VolumeSize': '8' },
      'MissingParameter',
      'BlockDeviceMapping.1.DeviceName',
    ],
    [
      'with a device that is not the root',
      { 'BlockDeviceMapping.1.DeviceName': '/dev/sdb' },
      'InvalidBlockDeviceMapping',
      '/dev/sdb',
    ],
  ])('%s', async (_, changes, code, message) => {
    const { ec2 } = await startWorld();
    const form = Object.fromEntries(
      Object.entries({ ...LAUNCH_FORM, ...changes }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const answer = await post(ec2, form);
    expect(textOf(answer.body, 'Code')).toBe(code);
    expect(textOf(answer.body, 'Message')?.replaceAll('&quot;', '"')).toContain(message);
    expect(answer.status).toBe(400);
    expect(ec2.instances()).toEqual([]);
  });

  test('with a type its zone does not have, as Unsupported', async () => {
    const { client } = await startWorld({
      catalogue: { instanceTypes: [{ name: 'm5.large', vcpus: 2, architecture: 'x86_64', zones: ['eu-central-1b'] }] },
    });
    await expect(client.send(launch())).rejects.toMatchObject({
      name: 'Unsupported',
      message: expect.stringContaining(
        '(m5.large) is not supported in your requested Availability Zone (eu-central-1a)',
      ) as string,
    });
  });

  test('takes exactly what is allowed at each limit', async () => {
    const { ec2 } = await startWorld();
    const answer = await post(ec2, {
      ...LAUNCH_FORM,
      UserData: base64('x'.repeat(16_384)),
      ClientToken: 'x'.repeat(64),
      'TagSpecification.1.ResourceType': 'instance',
      'TagSpecification.1.Tag.1.Key': 'ü'.repeat(128),
      'TagSpecification.1.Tag.1.Value': 'ü'.repeat(256),
      ...root,
      'BlockDeviceMapping.1.Ebs.VolumeSize': '8',
      'BlockDeviceMapping.1.Ebs.Iops': '4000',
      'BlockDeviceMapping.1.Ebs.Throughput': '1000',
    });
    expect(answer.status).toBe(200);
  });
});

describe('a client token', () => {
  test('with the same parameters gives the same instances, in the state they are in', async () => {
    const { ec2, client, clock } = await startWorld();
    const first = await launchOne(client, { ClientToken: 'a' });
    clock.advance(10_000);
    const { Instances = [] } = await client.send(launch({ ClientToken: 'a' }));
    expect(Instances.map(({ InstanceId, State }) => [InstanceId, State?.Name])).toEqual([[first, 'running']]);
    expect(ec2.instances()).toHaveLength(1);
  });

  test('with other parameters is refused', async () => {
    const { ec2, client } = await startWorld();
    await launchOne(client, { ClientToken: 'a' });
    await expect(client.send(launch({ ClientToken: 'a', InstanceType: 'm6i.large' }))).rejects.toMatchObject({
      name: 'IdempotentParameterMismatch',
      message: 'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
    });
    expect(ec2.instances()).toHaveLength(1);
  });

  test('holds on to its parameters when the launch found no room, and can be tried again with them', async () => {
    const { ec2, client } = await startWorld();
    ec2.setStock({}, 0);
    await expect(client.send(launch({ ClientToken: 'a' }))).rejects.toMatchObject({
      name: 'InsufficientInstanceCapacity',
    });
    ec2.setStock({}, undefined);
    await expect(client.send(launch({ ClientToken: 'a', InstanceType: 'm6i.large' }))).rejects.toMatchObject({
      name: 'IdempotentParameterMismatch',
    });
    await client.send(launch({ ClientToken: 'a' }));
    expect(ec2.instances()).toHaveLength(1);
  });

  test('counts within one zone: another subnet there is a mismatch, one elsewhere another launch', async () => {
    const { ec2, client } = await startWorld();
    const into = (SubnetId: string) => launch({ ClientToken: 'a', NetworkInterfaces: [{ DeviceIndex: 0, SubnetId }] });
    await client.send(into(SUBNET_A));
    await client.send(into(SUBNET_B));
    expect(ec2.instances()).toHaveLength(2);
    await expect(client.send(into(SUBNET_B_PUBLIC))).rejects.toMatchObject({ name: 'IdempotentParameterMismatch' });
  });

  test('is spent once its instance is terminated', async () => {
    const { ec2, client, clock } = await startWorld();
    const id = await launchOne(client, { ClientToken: 'a' });
    ec2.terminate(id);
    clock.advance(5000);
    await expect(client.send(launch({ ClientToken: 'a' }))).rejects.toMatchObject({
      name: 'IdempotentInstanceTerminated',
    });
    clock.advance(600_000);
    await expect(client.send(launch({ ClientToken: 'a' }))).rejects.toMatchObject({
      name: 'IdempotentInstanceTerminated',
    });
  });

  test('is not shared by launches without one', async () => {
    const { ec2 } = await startWorld();
    await post(ec2, LAUNCH_FORM);
    await post(ec2, LAUNCH_FORM);
    expect(ec2.instances()).toHaveLength(2);
  });
});

describe('a launch template', () => {
  const launchTemplates = [
    {
      id: 'lt-0123456789abcdef0',
      name: 'runners',
      defaultVersion: 1,
      versions: [
        {
          ImageId: IMAGE,
          InstanceType: 'm6i.large',
          SubnetId: SUBNET_B,
          UserData: base64('#!/bin/sh\n'),
          'TagSpecification.1.ResourceType': 'instance',
          'TagSpecification.1.Tag.1.Key': 'team',
          'TagSpecification.1.Tag.1.Value': 'build',
          'TagSpecification.1.Tag.2.Key': 'Name',
          'TagSpecification.1.Tag.2.Value': 'template',
          'BlockDeviceMapping.1.DeviceName': '/dev/sda1',
          'BlockDeviceMapping.1.Ebs.VolumeSize': '20',
          'BlockDeviceMapping.1.Ebs.VolumeType': 'gp2',
        },
        { InstanceType: 'c6i.large' },
      ],
    },
  ];
  const start = () => startWorld({ catalogue: { launchTemplates } });
  const form = { Action: 'RunInstances', MinCount: '1', MaxCount: '1' };

  test('gives what the request does not say; tags and devices are joined key by key', async () => {
    const { ec2 } = await start();
    const answer = await post(ec2, {
      ...LAUNCH_FORM,
      'LaunchTemplate.LaunchTemplateName': 'runners',
      'TagSpecification.1.ResourceType': 'instance',
      'TagSpecification.1.Tag.1.Key': 'Name',
      'TagSpecification.1.Tag.1.Value': 'request',
      'BlockDeviceMapping.1.DeviceName': '/dev/sda1',
      'BlockDeviceMapping.1.Ebs.VolumeSize': '30',
    });
    expect(answer.status).toBe(200);
    expect(ec2.instances()).toMatchObject([
      {
        instanceType: 'm5.large',
        subnetId: SUBNET_A,
        userData: '#!/bin/sh\n',
        tags: { team: 'build', Name: 'request' },
        rootVolume: { sizeGiB: 30, type: 'gp2' },
      },
    ]);
  });

  test('is enough by itself, by id or name, in its default version', async () => {
    const { ec2 } = await start();
    await post(ec2, { ...form, 'LaunchTemplate.LaunchTemplateId': 'lt-0123456789abcdef0' });
    await post(ec2, { ...form, 'LaunchTemplate.LaunchTemplateName': 'runners', 'LaunchTemplate.Version': '1' });
    await post(ec2, {
      ...form,
      'LaunchTemplate.LaunchTemplateName': 'runners',
      'LaunchTemplate.Version': '$Latest',
      ImageId: IMAGE,
    });
    expect(ec2.instances().map(({ instanceType, subnetId }) => [instanceType, subnetId])).toEqual([
      ['m6i.large', SUBNET_B],
      ['m6i.large', SUBNET_B],
      ['c6i.large', SUBNET_A],
    ]);
  });

  test.each([
    [{ 'LaunchTemplate.LaunchTemplateId': 'lt-00000000' }, 'InvalidLaunchTemplateId.NotFound'],
    [{ 'LaunchTemplate.LaunchTemplateName': 'other' }, 'InvalidLaunchTemplateName.NotFoundException'],
    [
      { 'LaunchTemplate.LaunchTemplateName': 'runners', 'LaunchTemplate.Version': '3' },
      'InvalidLaunchTemplateId.VersionNotFound',
    ],
    [{ 'LaunchTemplate.LaunchTemplateName': 'runners', 'LaunchTemplate.Version': 'newest' }, 'InvalidParameterValue'],
    [
      { 'LaunchTemplate.LaunchTemplateName': 'runners', 'LaunchTemplate.LaunchTemplateId': 'lt-0123456789abcdef0' },
      'InvalidParameterCombination',
    ],
    [{ 'LaunchTemplate.Version': '1' }, 'MissingParameter'],
  ])('%j is refused with %s', async (template, code) => {
    const { ec2 } = await start();
    const answer = await post(ec2, { ...form, ...template });
    expect(textOf(answer.body, 'Code')).toBe(code);
  });
});

describe('room', () => {
  test('runs out by subnet and type, says so with status 500, and comes back with a termination', async () => {
    const { ec2, client } = await startWorld();
    ec2.setStock({ subnetId: SUBNET_A, instanceType: 'm5.large' }, 1);
    const id = await launchOne(client);
    await expect(client.send(launch())).rejects.toMatchObject({
      name: 'InsufficientInstanceCapacity',
      message: expect.stringContaining(
        'sufficient m5.large capacity in the Availability Zone you requested (eu-central-1a)',
      ) as string,
      $metadata: { httpStatusCode: 500 },
    });
    await client.send(launch({ InstanceType: 'm6i.large' }));
    await client.send(launch({ NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_B }] }));
    ec2.terminate(id);
    await client.send(launch());
    expect(await list(client)).toHaveLength(4);
  });

  test('is limited by the vCPUs of the account, which spot instances do not count against', async () => {
    const { ec2, client } = await startWorld({ quota: { vcpus: 4, spotInstances: 1 } });
    const spot = { InstanceMarketOptions: { MarketType: 'spot' as const } };
    await launchOne(client, { InstanceType: 'm5.large' });
    await expect(client.send(launch({ InstanceType: 'm6i.xlarge' }))).rejects.toMatchObject({
      name: 'VcpuLimitExceeded',
      message: expect.stringContaining('your current vCPU limit of 4 allows') as string,
      $metadata: { httpStatusCode: 400 },
    });
    await launchOne(client);
    await launchOne(client, spot);
    await expect(client.send(launch(spot))).rejects.toMatchObject({ name: 'MaxSpotInstanceCountExceeded' });
    ec2.setQuota({});
    await launchOne(client, { InstanceType: 'm6i.xlarge' });
  });

  test('is limited by the addresses of a subnet', async () => {
    const [first, ...rest] = defaultCatalogue('eu-central-1').subnets;
    if (first === undefined) throw new Error('the catalogue has no subnet');
    const { client } = await startWorld({ catalogue: { subnets: [{ ...first, addresses: 1 }, ...rest] } });
    await launchOne(client);
    await expect(client.send(launch())).rejects.toMatchObject({ name: 'InsufficientFreeAddressesInSubnet' });
  });
});
