import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeImagesCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type Instance,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Labels } from '@rungar/model';
import { systemClock } from '@rungar/model';
import { openAws } from '../src/aws/provider.js';
import type { AwsRunner } from '../src/aws/settings.js';
import type { BackendMachine, ContractBackend, Harness, Limits } from '../src/testing/harness.js';
import { someRunner, someSettings } from './aws-builders.js';
import { contextWith, credentialsText } from './ec2-harness.js';

const KEY = { accessKeyId: 'AKIAMOTO000000000000', secretAccessKey: 'any-key-will-do' };
const REGION = 'eu-central-1';
const NO_FAULTS = 'moto_server cannot be made to fail';

export const MOTO_LIMITS: Limits = {
  lost_reply: 'moto_server ignores the client token',
  lost_replies: 'moto_server ignores the client token',
  hang: NO_FAULTS,
  full: NO_FAULTS,
  refused: NO_FAULTS,
  reset: NO_FAULTS,
  empty_answer: NO_FAULTS,
  html_answer: NO_FAULTS,
  echo: NO_FAULTS,
  online_check: 'moto_server takes a trial for the call itself',
  repeated_delete: 'moto_server refuses to terminate what is terminated',
};

/** What a test needs to know of the account; it stays the same. */
interface Account {
  readonly subnets: readonly string[];
  readonly image: string;
}

/** Starts harnesses over one moto_server, each of which begins without an instance. */
export function motoHarnesses(url: string): () => Promise<Harness<AwsRunner>> {
  let account: Promise<Account> | undefined;
  return async () => {
    const client = new EC2Client({ region: REGION, endpoint: url, credentials: KEY });
    account ??= readAccount(client);
    const { subnets, image } = await account;
    const folder = await mkdtemp(join(tmpdir(), 'rungar-moto-'));
    const credentialsFile = join(folder, 'credentials');
    await writeFile(credentialsFile, credentialsText(KEY));
    const settings = someSettings({ region: REGION, subnets, endpointUrl: url, credentialsFile, profile: 'runners' });
    return {
      backend: backendOf(client, image),
      spec: someRunner({ image }),
      open: ({ timeoutMs, redactor, logger }) =>
        openAws({ ...settings, timeoutMs }, { ...contextWith(systemClock), redactor, logger }),
      async close() {
        await terminateAll(client);
        client.destroy();
        await rm(folder, { recursive: true });
      },
    };
  };
}

async function readAccount(client: EC2Client): Promise<Account> {
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({}));
  const { Images = [] } = await client.send(new DescribeImagesCommand({}));
  return {
    subnets: Subnets.flatMap((subnet) => subnet.SubnetId ?? []),
    image: Images.find((one) => one.RootDeviceName && one.Architecture === 'x86_64')?.ImageId ?? '',
  };
}

async function liveInstances(client: EC2Client): Promise<Instance[]> {
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({}));
  const instances = Reservations.flatMap((reservation) => reservation.Instances ?? []);
  return instances.filter(({ State }) => !['shutting-down', 'terminated'].includes(State?.Name ?? ''));
}

async function terminateAll(client: EC2Client): Promise<void> {
  const InstanceIds = (await liveInstances(client)).flatMap(({ InstanceId }) => InstanceId ?? []);
  if (InstanceIds.length > 0) await client.send(new TerminateInstancesCommand({ InstanceIds }));
}

function backendOf(client: EC2Client, image: string): ContractBackend {
  return {
    machines: async () => (await liveInstances(client)).map(toMachine),
    async addForeign(name, labels) {
      const Tags = Object.entries({ Name: name, ...labels }).map(([Key, Value]) => ({ Key, Value }));
      const run = {
        MinCount: 1,
        MaxCount: 1,
        ImageId: image,
        TagSpecifications: [{ ResourceType: 'instance' as const, Tags }],
      };
      const { Instances } = await client.send(new RunInstancesCommand(run));
      const [instance] = Instances ?? [];
      if (!instance) throw new Error('moto_server made no instance');
      return toMachine(instance);
    },
    async deliveredJitConfig({ id }) {
      const ask = new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: 'userData' });
      const { UserData } = await client.send(ask);
      const script = Buffer.from(UserData?.Value ?? '', 'base64').toString();
      return /^export ACTIONS_RUNNER_INPUT_JITCONFIG='(.*)'$/m.exec(script)?.[1];
    },
    faults: {
      set: () => {
        throw new Error(NO_FAULTS);
      },
      clear() {},
      met: () => Promise.reject(new Error(NO_FAULTS)),
    },
  };
}

function toMachine({ InstanceId = '', Tags = [] }: Instance): BackendMachine {
  const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
  const { Name = '', ...labels } = tags as Labels & { Name?: string };
  return { id: InstanceId, name: Name, labels };
}
