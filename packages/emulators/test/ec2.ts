import {
  DescribeInstancesCommand,
  EC2Client,
  type Instance,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { afterEach, expect } from 'vitest';
import { type AccessKey, type Ec2Emulator, type Ec2EmulatorOptions, startEc2Emulator } from '../src/aws/index.js';
import { type ManualClock, manualClock } from '../src/clock.js';
import { seededRandom } from '../src/random.js';

export const IMAGE = 'ami-0123456789abcdef0';
export const ARM_IMAGE = 'ami-0fedcba9876543210';
/** In the first zone. */
export const SUBNET_A = 'subnet-0aaaaaaaaaaaaaaa1';
/** In the second zone, both. */
export const SUBNET_B = 'subnet-0bbbbbbbbbbbbbbb2';
export const SUBNET_B_PUBLIC = 'subnet-0ccccccccccccccc3';
export const GROUP = 'sg-0aaaaaaaaaaaaaaa1';
export const NOON = Date.UTC(2026, 0, 2, 12, 0, 0);

/** What a test starts is ended after it. */
const endings: (() => void | Promise<void>)[] = [];

export function endAfterTest(end: () => void | Promise<void>): void {
  endings.push(end);
}

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export interface World {
  readonly ec2: Ec2Emulator;
  readonly client: EC2Client;
  readonly clock: ManualClock;
}

/** An emulator whose clock stands still at noon and whose machines boot in 10 s, and a client of the real SDK. */
export async function startWorld(options: Ec2EmulatorOptions = {}): Promise<World> {
  const clock = manualClock(NOON);
  const ec2 = await startEc2Emulator({
    clock,
    random: seededRandom(1),
    ...options,
    times: { bootMs: 10_000, shutdownMs: 5000, terminatedMs: 600_000, ...options.times },
  });
  endAfterTest(async () => {
    await ec2.close();
    expect(ec2.failures).toEqual([]);
  });
  return { ec2, clock, client: clientOf(ec2) };
}

/** A client that asks once. */
export function clientOf(ec2: Ec2Emulator, credentials: AccessKey = ec2.credentials, region = ec2.region): EC2Client {
  const client = new EC2Client({ region, endpoint: ec2.url, credentials, maxAttempts: 1 });
  endAfterTest(() => client.destroy());
  return client;
}

/** A launch of one machine, as a runner tool asks for it. */
export function launch(changes: Partial<RunInstancesCommandInput> = {}): RunInstancesCommand {
  return new RunInstancesCommand({
    MinCount: 1,
    MaxCount: 1,
    ImageId: IMAGE,
    InstanceType: 'm5.large',
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_A, Groups: [GROUP], DeleteOnTermination: true }],
    InstanceInitiatedShutdownBehavior: 'terminate',
    ...changes,
  });
}

/** Launches one instance and gives its id. */
export async function launchOne(client: EC2Client, changes: Partial<RunInstancesCommandInput> = {}): Promise<string> {
  const { Instances = [] } = await client.send(launch(changes));
  return Instances[0]?.InstanceId ?? '';
}

/** Every instance DescribeInstances gives on one page for these filters. */
export async function list(client: EC2Client, filters: Readonly<Record<string, string[]>> = {}): Promise<Instance[]> {
  const Filters = Object.entries(filters).map(([Name, Values]) => ({ Name, Values }));
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand(Filters.length > 0 ? { Filters } : {}));
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface RawChanges {
  /** Sent in place of what was signed. */
  readonly body?: string;
  /** Sent beside what was signed; undefined takes a header away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends a form of one's own, signed by the real SDK, and gives the answer as it is. */
export async function post(
  ec2: Ec2Emulator,
  form: Readonly<Record<string, string>>,
  changes: RawChanges = {},
): Promise<RawAnswer> {
  let answer: RawAnswer | undefined;
  const client = new EC2Client({
    region: ec2.region,
    endpoint: ec2.url,
    credentials: ec2.credentials,
    maxAttempts: 1,
    requestHandler: {
      async handle(request: { headers: Record<string, string>; body?: string }): Promise<never> {
        const headers = Object.fromEntries(
          Object.entries({ ...request.headers, ...changes.headers }).filter(
            ([name, value]) => name !== 'host' && value !== undefined,
          ),
        ) as Record<string, string>;
        const response = await fetch(ec2.url, { method: 'POST', headers, body: changes.body ?? request.body ?? '' });
        answer = { status: response.status, headers: response.headers, body: await response.text() };
        throw new Error('answered');
      },
    },
  });
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; body?: string };
      request.body = new URLSearchParams({ Version: '2016-11-15', ...form }).toString();
      request.headers['content-length'] = String(Buffer.byteLength(request.body));
      return next(args);
    },
    { step: 'build', name: 'ownForm' },
  );
  await client.send(new DescribeInstancesCommand({})).catch(() => {});
  client.destroy();
  if (answer === undefined) throw new Error('nothing was sent');
  return answer;
}

/** The text of the first element of a name. */
export function textOf(body: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1];
}

/** The parameters of {@link launch}, for a form of one's own. */
export const LAUNCH_FORM: Readonly<Record<string, string>> = {
  Action: 'RunInstances',
  MinCount: '1',
  MaxCount: '1',
  ImageId: IMAGE,
  InstanceType: 'm5.large',
  'NetworkInterface.1.DeviceIndex': '0',
  'NetworkInterface.1.SubnetId': SUBNET_A,
};
