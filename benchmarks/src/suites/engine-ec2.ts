import type { Clock } from '@rungar/model';
import { createRedactor, type OpenProvider, silentLogger } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { type AwsRunner, type Ec2, Ec2Error, openAwsOn, type SeenInstance } from '@rungar/providers/aws';

const RUN_MS = 500;
const PAGE_MS = 100;
const TERMINATE_MS = 300;
const REFUSAL_MS = 100;
const PAGE = 1_000;

export const EC2_SPEC: AwsRunner = {
  instanceTypes: ['m7i.xlarge'],
  image: 'ami-0a1b2c3d4e5f60718',
  diskSize: 0n,
  diskType: '',
  diskIops: 0,
  diskThroughput: 0,
  launchTemplate: 'runners',
  spot: false,
  tags: undefined,
  userData: '#!/bin/sh\nexec /opt/run\n',
};

export interface StandingEc2 {
  readonly ec2: Ec2;
  /** By id. */
  readonly instances: Map<string, SeenInstance>;
  readonly calls: Record<'run' | 'describe' | 'terminate', number>;
  /** When the last termination was answered. */
  lastTerminationAt: number;
  /** Told of every instance that is there. */
  onMade: (name: string) => void;
}

/** An EC2 on a clock of its own that keeps its instances, refuses a termination for one wrong id, and has no throttle. */
export function standingEc2(clock: Clock): StandingEc2 {
  const instances = new Map<string, SeenInstance>();
  const calls = { run: 0, describe: 0, terminate: 0 };
  let lastId = 0;
  const ec2: Ec2 = {
    async runInstances({ TagSpecifications = [], InstanceType }) {
      calls.run += 1;
      await clock.sleep(RUN_MS);
      const Tags = TagSpecifications[0]?.Tags ?? [];
      const instance = instanceOf(idOf(++lastId), Tags, InstanceType);
      instances.set(instance.InstanceId ?? '', instance);
      standing.onMade(Tags.find(({ Key }) => Key === 'Name')?.Value ?? '');
      return instance;
    },
    async describeInstances() {
      const pages = Math.max(1, Math.ceil(instances.size / PAGE));
      calls.describe += pages;
      await clock.sleep(PAGE_MS * pages);
      return { instances: [...instances.values()], ownerId: '123456789012' };
    },
    async terminateInstances(ids) {
      calls.terminate += 1;
      const wrong = ids.filter((id) => !instances.has(id));
      if (wrong.length > 0) {
        await clock.sleep(REFUSAL_MS);
        const message = `The instance ID${wrong.length > 1 ? 's' : ''} '${wrong.join(', ')}' do${wrong.length > 1 ? '' : 'es'} not exist`;
        throw new Ec2Error('InvalidInstanceID.NotFound', message, 'other', 400);
      }
      await clock.sleep(TERMINATE_MS);
      for (const id of ids) instances.delete(id);
      standing.lastTerminationAt = clock.now();
    },
    describeImages: async () => [],
    getConsoleOutput: async () => Buffer.alloc(0),
    close() {},
  };
  const standing: StandingEc2 = { ec2, instances, calls, lastTerminationAt: 0, onMade: () => {} };
  return standing;
}

export function instanceOf(
  InstanceId: string,
  Tags: NonNullable<SeenInstance['Tags']>,
  InstanceType: SeenInstance['InstanceType'] = 'm7i.xlarge',
): SeenInstance {
  return { InstanceId, Tags, State: { Name: 'running' }, InstanceType };
}

export const idOf = (at: number): string => `i-${at.toString(16).padStart(17, '0')}`;

/** The real provider over a simulated EC2. */
export function awsOn(ec2: Ec2, clock: Clock, seed: number): OpenProvider<AwsRunner> {
  const settings = {
    region: 'eu-central-1',
    subnets: ['subnet-0a1b2c3d4e5f60718'],
    securityGroups: [],
    timeoutMs: 30_000,
  };
  const context = {
    name: 'frankfurt',
    clock,
    random: seededRandom(seed),
    logger: silentLogger,
    redactor: createRedactor(),
  };
  return openAwsOn(ec2, settings, context);
}
