import { type OnlineFinding, type RunnerToCheck, systemClock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someRunner, someSettings } from '../../test/aws-builders.js';
import { contextWith, type Ec2World, startEc2World } from '../../test/ec2-harness.js';
import { checkAwsOnline, inspectEc2 } from './check-online.js';
import type { Ec2Inspection } from './client.js';
import { Ec2Error } from './errors.js';
import type { AwsRunner, AwsSettings } from './settings.js';

const { signal } = new AbortController();

const said = (findings: readonly OnlineFinding[]): string[] =>
  findings.map(({ severity, scaleSet = '-', key = '-', message }) => `${severity} ${scaleSet} ${key} ${message}`);

/** An EC2 that has everything, but for the parts given. */
function ec2With(parts: Partial<Ec2Inspection>): Ec2Inspection & { readonly tried: number } {
  const ec2 = {
    tried: 0,
    describeInstances: async () => ({ instances: [], clockOffsetMs: 500 }),
    describeImages: async () => [
      { ImageId: 'ami-0a1b2c3d4e5f60718', State: 'available' as const, RootDeviceName: '/dev/xvda' },
    ],
    describeSubnets: async () => [
      { SubnetId: 'subnet-0a1b2c3d', AvailabilityZone: 'eu-central-1a', AvailableIpAddressCount: 9 },
    ],
    describeSecurityGroups: async () => [{ GroupId: 'sg-0a1b2c3d' }],
    typesOffered: async (types: readonly string[]) => new Set(types),
    findLaunchTemplate: async () => {},
    tryRunInstances: async () => {
      ec2.tried++;
    },
    tryTerminateInstance: async () => {},
    close() {},
    ...parts,
  };
  return ec2;
}

async function inspected(
  parts: Partial<Ec2Inspection>,
  settings: Partial<AwsSettings> = {},
  runners: readonly RunnerToCheck<AwsRunner>[] = [{ scaleSet: 's', spec: someRunner() }],
): Promise<string[]> {
  const context = contextWith(fakeClock());
  return said(await inspectEc2({ ec2: ec2With(parts), settings: someSettings(settings), runners, context, signal }));
}

const refuse =
  (code: string, refusal: ConstructorParameters<typeof Ec2Error>[2] = 'other', message = 'no') =>
  async (): Promise<never> => {
    throw new Ec2Error(code, message, refusal, 400);
  };

test('an account that has everything has nothing to say', async () => {
  expect(await inspected({}, { securityGroups: ['sg-0a1b2c3d'], instanceProfile: 'runner' })).toEqual([]);
});

describe('the credential', () => {
  test.each(['AuthFailure', 'NoCredentials', 'ExpiredToken', 'SignatureDoesNotMatch'])(
    'that is refused with %s is the one thing to say',
    async (code) => {
      expect(await inspected({ describeInstances: refuse(code), describeSubnets: refuse(code) })).toEqual([
        `error - - has no credential that works: ${code}: no`,
      ]);
    },
  );

  test('that may not list, create or delete is named with the call, without what only AWS can read', async () => {
    const denied = refuse('UnauthorizedOperation', 'other', 'You may not. Encoded authorization failure message: abc');
    const words = 'UnauthorizedOperation: You may not';
    expect(await inspected({ describeInstances: denied })).toEqual([
      `error - - has a credential that may not call ec2:DescribeInstances: ${words}`,
    ]);
    expect(await inspected({ tryRunInstances: denied })).toEqual([
      `error - - has a credential that may not call ec2:RunInstances: ${words}`,
    ]);
    const instances = [{ InstanceId: 'i-0a1b2c3d4e5f60718' }];
    expect(await inspected({ describeInstances: async () => ({ instances }), tryTerminateInstance: denied })).toEqual([
      `error - - has a credential that may not call ec2:TerminateInstances: ${words}`,
    ]);
  });

  test('that may not look at everything is warned of once', async () => {
    const denied = refuse('UnauthorizedOperation');
    expect(
      await inspected(
        { describeSubnets: denied, describeSecurityGroups: denied, typesOffered: denied },
        { securityGroups: ['sg-0a1b2c3d'] },
      ),
    ).toEqual([
      'warning - - could not be checked as a whole: the credential may not call ec2:DescribeSubnets, ec2:DescribeSecurityGroups',
    ]);
  });
});

describe('what the entry names', () => {
  test('and is not there is said of each, at its key', async () => {
    expect(
      await inspected(
        { describeSecurityGroups: async () => [] },
        {
          subnets: ['subnet-00000000', 'subnet-0a1b2c3d', 'subnet-11111111'],
          securityGroups: ['sg-22222222'],
          instanceProfile: 'arn:aws:iam::1:role/x',
        },
      ),
    ).toEqual([
      'error - instance_profile is neither the name nor the ARN of an instance profile: "arn:aws:iam::1:role/x"',
      'error - subnets.0 names a subnet that does not exist in eu-central-1: "subnet-00000000"',
      'error - subnets.2 names a subnet that does not exist in eu-central-1: "subnet-11111111"',
      'error - security_groups.0 names a security group that does not exist in eu-central-1: "sg-22222222"',
    ]);
  });

  test('and has no address left is a warning', async () => {
    const full = [{ SubnetId: 'subnet-0a1b2c3d', AvailabilityZone: 'eu-central-1a', AvailableIpAddressCount: 0 }];
    expect(await inspected({ describeSubnets: async () => full })).toEqual([
      'warning - subnets.0 names a subnet without a free address now: "subnet-0a1b2c3d"',
    ]);
  });

  test.each([
    'runner',
    'arn:aws:iam::123456789012:instance-profile/ci/runner',
    'arn:aws-cn:iam::123456789012:instance-profile/r',
  ])('may be the instance profile %s', async (instanceProfile) =>
    expect(await inspected({}, { instanceProfile })).toEqual([]),
  );
});

describe('what a runner block names', () => {
  test('and is not there is said with its scale set', async () => {
    expect(
      await inspected(
        {
          describeImages: async () => [{ ImageId: 'ami-11111111', State: 'pending' as const }],
          typesOffered: async () => new Set(['m5.large']),
          findLaunchTemplate: refuse('InvalidLaunchTemplateName.NotFoundException', 'invalid'),
        },
        {},
        [
          { scaleSet: 'a', spec: someRunner({ image: 'ami-00000000' }) },
          { scaleSet: 'b', spec: someRunner({ image: 'ami-11111111', instanceTypes: ['m5.large'] }) },
          {
            scaleSet: 'c',
            spec: someRunner({ image: '', launchTemplate: 'x:7', instanceTypes: ['m5.large', 'z1.x'] }),
          },
        ],
      ),
    ).toEqual([
      'error a image names an image that does not exist in eu-central-1: "ami-00000000"',
      'error b image names an image that cannot be used, being pending: "ami-11111111"',
      'error c launch_template names a launch template that EC2 does not have: "x:7" (InvalidLaunchTemplateName.NotFoundException: no)',
      'error a instance_type names an instance type that no zone of the subnets has (eu-central-1a): "m7i.xlarge"',
      'warning c instance_type names an instance type that no zone of the subnets has (eu-central-1a): "z1.x"',
    ]);
  });

  test('and EC2 would refuse is said in its words, at the key they speak of', async () => {
    expect(await inspected({ tryRunInstances: refuse('Unsupported', 'unsupported') })).toEqual([
      'error s instance_type would be refused by EC2: Unsupported: no',
    ]);
    const profile = refuse(
      'InvalidParameterValue',
      'invalid',
      'Value (x) for parameter iamInstanceProfile.name is invalid.',
    );
    expect(await inspected({ tryRunInstances: profile })).toEqual([
      'error - instance_profile would be refused by EC2: InvalidParameterValue: Value (x) for parameter iamInstanceProfile.name is invalid',
    ]);
    expect(await inspected({ tryRunInstances: refuse('VcpuLimitExceeded', 'quota') })).toEqual([
      'warning s - could not be created now by EC2: VcpuLimitExceeded: no',
    ]);
  });

  test('alike for many scale sets is tried once', async () => {
    const ec2 = ec2With({});
    const runners = ['a', 'b', 'c'].map((scaleSet) => ({ scaleSet, spec: someRunner() }));
    const context = contextWith(fakeClock());
    expect(await inspectEc2({ ec2, settings: someSettings(), runners, context, signal })).toEqual([]);
    expect(ec2.tried).toBe(1);
  });
});

test.each([
  [-45_000, "this host's clock is 45s ahead of EC2's"],
  [600_000, "this host's clock is 10m0s behind EC2's"],
])('a clock that is off by %i ms is warned of', async (clockOffsetMs, want) => {
  expect(await inspected({ describeInstances: async () => ({ instances: [], clockOffsetMs }) })).toEqual([
    `warning - - answers with another time: ${want}`,
  ]);
});

test('no answer is no finding', async () => {
  await expect(inspected({ describeInstances: refuse('NoAnswer', 'uncertain') })).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(inspected({ describeSubnets: refuse('NoAnswer', 'uncertain') })).rejects.toMatchObject({
    code: 'unavailable',
  });
});

describe('over the SDK', () => {
  let world: Ec2World;
  beforeAll(async () => {
    world = await startEc2World();
  });
  afterAll(() => world.close());

  const check = async (settings: Partial<AwsSettings> = {}, spec: Partial<AwsRunner> = {}): Promise<string[]> => {
    const context = contextWith(systemClock);
    const runners = [{ scaleSet: 's', spec: { ...world.spec, ...spec } }];
    return said(await checkAwsOnline({ ...world.settings, ...settings }, runners, context, signal));
  };

  test('what is there is found, and nothing is made', async () => {
    expect(await check()).toEqual([]);
    expect(world.emulator.instances()).toEqual([]);
  });

  test('what is not there, and what may not be done, is told', async () => {
    const errors = async (...args: Parameters<typeof check>): Promise<string[]> =>
      (await check(...args)).filter((each) => each.startsWith('error'));
    expect(await errors({ subnets: ['subnet-00000000'] })).toEqual([
      expect.stringContaining('- subnets.0 names a subnet'),
    ]);
    expect(await errors({}, { image: 'ami-00000000' })).toEqual([expect.stringContaining('s image names an image')]);
    expect(await errors({}, { instanceTypes: ['z9.huge'] })).toEqual([expect.stringContaining('s instance_type')]);
    expect(await errors({ profile: 'nobody' })).toEqual([expect.stringContaining('has no credential that works')]);
    world.emulator.deny('RunInstances');
    expect(await errors()).toEqual([expect.stringContaining('may not call ec2:RunInstances')]);
    world.emulator.deny('RunInstances', false);
  });
});
