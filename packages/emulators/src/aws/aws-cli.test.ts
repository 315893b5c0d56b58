import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { endAfterTest, GROUP, IMAGE, SUBNET_A } from '../../test/ec2.js';
import { type Ec2Emulator, type Ec2EmulatorOptions, startEc2Emulator } from './index.js';

const absent = spawnSync('aws', ['--version']).error !== undefined;

async function start(
  options: Ec2EmulatorOptions = {},
): Promise<{ ec2: Ec2Emulator; aws: (...args: string[]) => Promise<unknown> }> {
  const ec2 = await startEc2Emulator({ times: { bootMs: 60_000 }, ...options });
  endAfterTest(() => ec2.close());
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_MAX_ATTEMPTS: '1',
    AWS_PAGER: '',
  };
  const aws = async (...args: string[]): Promise<unknown> => {
    const all = ['ec2', ...args, '--endpoint-url', ec2.url, '--region', ec2.region, '--output', 'json'];
    const { stdout } = await promisify(execFile)('aws', all, { env });
    return stdout === '' ? undefined : JSON.parse(stdout);
  };
  return { ec2, aws };
}

const nic = `DeviceIndex=0,SubnetId=${SUBNET_A},Groups=${GROUP},DeleteOnTermination=true`;
const tags = 'Tags=[{Key=Name,Value=linux-1},{Key=rungar.sh/managed,Value=true}]';
const run = [
  'run-instances',
  '--image-id',
  IMAGE,
  '--instance-type',
  'm5.large',
  '--count',
  '1',
  '--network-interfaces',
  nic,
];

describe.skipIf(absent)(`the aws command line${absent ? ' (skipped: there is no aws on this host)' : ''}`, () => {
  test('launches, lists, tags and ends an instance', { timeout: 60_000 }, async () => {
    const { ec2, aws } = await start();
    const launched = await aws(
      ...run,
      ...['--user-data', '#!/bin/sh\n'],
      ...['--tag-specifications', `ResourceType=instance,${tags}`, `ResourceType=volume,${tags}`],
      ...['--metadata-options', 'HttpTokens=required,HttpEndpoint=enabled'],
      ...[
        '--block-device-mappings',
        'DeviceName=/dev/sda1,Ebs={VolumeSize=20,VolumeType=gp3,DeleteOnTermination=true}',
      ],
      ...['--iam-instance-profile', 'Name=rungar-runner'],
      ...['--instance-market-options', 'MarketType=spot,SpotOptions={SpotInstanceType=one-time}'],
      ...['--instance-initiated-shutdown-behavior', 'terminate'],
    );
    const [{ id = '' } = {}] = ec2.instances();
    expect(launched).toMatchObject({
      Instances: [{ InstanceId: id, State: { Name: 'pending' }, ClientToken: expect.any(String) as string }],
    });
    expect(ec2.instances()).toMatchObject([
      { name: 'linux-1', userData: '#!/bin/sh\n', spot: true, volumeTags: { Name: 'linux-1' } },
    ]);

    const found = await aws(
      'describe-instances',
      '--filters',
      'Name=tag:rungar.sh/managed,Values=true',
      'Name=instance-state-name,Values=pending,running',
    );
    expect(found).toMatchObject({
      Reservations: [
        { OwnerId: '123456789012', Instances: [{ InstanceId: id, Tags: [{ Key: 'Name', Value: 'linux-1' }, {}] }] },
      ],
    });
    expect(await aws('describe-instances', '--filters', 'Name=tag:Name,Values=other')).toEqual({ Reservations: [] });

    await aws('create-tags', '--resources', id, '--tags', 'Key=team,Value=a b');
    expect(ec2.instances()[0]?.tags).toMatchObject({ team: 'a b' });

    expect(await aws('terminate-instances', '--instance-ids', id)).toEqual({
      TerminatingInstances: [
        {
          InstanceId: id,
          CurrentState: { Code: 32, Name: 'shutting-down' },
          PreviousState: { Code: 0, Name: 'pending' },
        },
      ],
    });
  });

  test('follows pages by itself', { timeout: 60_000 }, async () => {
    const { aws } = await start({ paging: { pageSize: 5 } });
    await aws(
      'run-instances',
      '--image-id',
      IMAGE,
      '--instance-type',
      'm5.large',
      '--count',
      '7',
      '--subnet-id',
      SUBNET_A,
    );
    const found = (await aws(
      'describe-instances',
      '--page-size',
      '5',
      '--query',
      'Reservations[].Instances[].InstanceId',
    )) as unknown[];
    expect(found).toHaveLength(7);
  });

  test('reads images, and what is wrong with a call', { timeout: 60_000 }, async () => {
    const { ec2, aws } = await start();
    expect(await aws('describe-images', '--image-ids', IMAGE)).toMatchObject({
      Images: [{ ImageId: IMAGE, RootDeviceName: '/dev/sda1' }],
    });
    await expect(aws('describe-images', '--image-ids', 'ami-00000000')).rejects.toMatchObject({
      stderr: expect.stringContaining(
        "(InvalidAMIID.NotFound) when calling the DescribeImages operation: The image id '[ami-00000000]' does not exist",
      ) as string,
    });
    ec2.setStock({}, 0);
    await expect(aws(...run)).rejects.toMatchObject({
      stderr: expect.stringContaining('(InsufficientInstanceCapacity)') as string,
    });
    await expect(aws(...run, '--dry-run')).rejects.toMatchObject({
      stderr: expect.stringContaining('(DryRunOperation)') as string,
    });
    await expect(aws(...run, '--key-name', 'mine')).rejects.toMatchObject({
      stderr: expect.stringContaining(
        '(UnknownParameter) when calling the RunInstances operation: The parameter KeyName is not recognized',
      ) as string,
    });
  });
});
