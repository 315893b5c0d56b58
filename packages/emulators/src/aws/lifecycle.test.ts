import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateTagsCommand,
  DescribeImagesCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  GetConsoleOutputCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { endAfterTest, IMAGE, launch, launchOne, list, SUBNET_A, startWorld } from '../../test/ec2.js';
import { encodeJitConfig } from '../machine/jit-config.js';
import type { Ec2Emulator, InstanceEvent } from './index.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const terminate = (client: EC2Client, ...InstanceIds: string[]) =>
  client.send(new TerminateInstancesCommand({ InstanceIds }));

describe('the life of an instance', () => {
  test('goes from pending over running and shutting-down to terminated, and out of the listing', async () => {
    const { ec2, client, clock } = await startWorld();
    const events: InstanceEvent[] = [];
    ec2.on('instance', (event) => events.push(event));
    const id = await launchOne(client);
    const state = async () => (await list(client))[0]?.State?.Name;
    clock.advance(9999);
    expect(await state()).toBe('pending');
    clock.advance(1);
    expect(await state()).toBe('running');
    await terminate(client, id);
    clock.advance(4999);
    expect(await state()).toBe('shutting-down');
    clock.advance(1);
    const [ended] = await list(client);
    expect(ended).toMatchObject({
      State: { Code: 48, Name: 'terminated' },
      StateReason: {
        Code: 'Client.UserInitiatedShutdown',
        Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
      },
      StateTransitionReason: 'User initiated (2026-01-02 12:00:10 GMT)',
    });
    expect([ended?.PrivateIpAddress, ended?.SubnetId, ended?.VpcId]).toEqual([undefined, undefined, undefined]);
    clock.advance(600_000);
    expect(await list(client)).toEqual([]);
    expect(events.map((event) => event.state)).toEqual(['pending', 'running', 'shutting-down', 'terminated']);
  });

  test('can end before it has booted: then nothing boots', async () => {
    const { ec2, client, clock } = await startWorld();
    const id = await launchOne(client);
    await terminate(client, id);
    clock.advance(20_000);
    expect(ec2.instances()).toMatchObject([{ state: 'terminated', machine: undefined }]);
  });

  test('boots at random within a range', async () => {
    const { ec2, client, clock } = await startWorld({ times: { bootMs: [2000, 4000] } });
    await client.send(launch({ MinCount: 20, MaxCount: 20 }));
    clock.advance(1999);
    expect(ec2.instances().filter(({ state }) => state === 'running')).toHaveLength(0);
    clock.advance(1001);
    const half = ec2.instances().filter(({ state }) => state === 'running').length;
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(20);
    clock.advance(1000);
    expect(ec2.instances().filter(({ state }) => state === 'running')).toHaveLength(20);
  });

  test('comes to nothing when its launch is to fail', async () => {
    const { ec2, client, clock } = await startWorld();
    ec2.failNextLaunches(1, {
      code: 'Client.VolumeLimitExceeded',
      message: 'Client.VolumeLimitExceeded: Volume limit exceeded',
    });
    await launchOne(client);
    await launchOne(client);
    clock.advance(15_000);
    expect(ec2.instances()).toMatchObject([
      { state: 'terminated', stateReason: { code: 'Client.VolumeLimitExceeded' }, machine: undefined },
      { state: 'running' },
    ]);
  });

  test('ends at once for a spot instance that is taken back, and for no other', async () => {
    const { ec2, client, clock } = await startWorld();
    const id = await launchOne(client, { InstanceMarketOptions: { MarketType: 'spot' } });
    const other = await launchOne(client);
    clock.advance(10_000);
    ec2.reclaimSpot(id);
    expect(ec2.instances()[0]).toMatchObject({
      state: 'shutting-down',
      stateReason: { code: 'Server.SpotInstanceTermination' },
      machine: 'off',
    });
    expect(() => ec2.reclaimSpot(other)).toThrow(`${other} is not a spot instance`);
  });
});

describe('a termination', () => {
  test('takes several, tells the states before and after, and is no mistake when repeated', async () => {
    const { client, clock } = await startWorld();
    const [first, second] = [await launchOne(client), await launchOne(client)];
    clock.advance(10_000);
    const { TerminatingInstances } = await terminate(client, first, second);
    expect(TerminatingInstances).toEqual([
      {
        InstanceId: first,
        CurrentState: { Code: 32, Name: 'shutting-down' },
        PreviousState: { Code: 16, Name: 'running' },
      },
      {
        InstanceId: second,
        CurrentState: { Code: 32, Name: 'shutting-down' },
        PreviousState: { Code: 16, Name: 'running' },
      },
    ]);
    clock.advance(5000);
    const again = await terminate(client, first);
    expect(again.TerminatingInstances).toEqual([
      {
        InstanceId: first,
        CurrentState: { Code: 48, Name: 'terminated' },
        PreviousState: { Code: 48, Name: 'terminated' },
      },
    ]);
  });

  test('ends none when one of the ids does not exist, or is forgotten', async () => {
    const { ec2, client, clock } = await startWorld();
    const [first, second] = [await launchOne(client), await launchOne(client)];
    await expect(terminate(client, first, 'i-0123456789abcdef0')).rejects.toMatchObject({
      name: 'InvalidInstanceID.NotFound',
      message: "The instance ID 'i-0123456789abcdef0' does not exist",
      $metadata: { httpStatusCode: 400 },
    });
    expect(ec2.instances().map(({ state }) => state)).toEqual(['pending', 'pending']);
    await terminate(client, second);
    clock.advance(605_000);
    await expect(terminate(client, first, second)).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    expect(ec2.instances().map(({ state }) => state)).toEqual(['running']);
  });

  test.each([
    { ids: [], code: 'MissingParameter' },
    { ids: ['instance'], code: 'InvalidInstanceID.Malformed' },
  ])('of $ids is refused with $code', async ({ ids, code }) => {
    const { client } = await startWorld();
    await expect(terminate(client, ...ids)).rejects.toMatchObject({ name: code });
  });

  test('is refused for a protected instance, and ends none beside it', async () => {
    const { ec2, client } = await startWorld();
    const [first, second] = [await launchOne(client), await launchOne(client, { DisableApiTermination: true })];
    await expect(terminate(client, first, second)).rejects.toMatchObject({ name: 'OperationNotPermitted' });
    expect(ec2.instances().map(({ state }) => state)).toEqual(['pending', 'pending']);
    ec2.protect(second, false);
    await terminate(client, first, second);
  });

  test('does not know a new id at first, where the emulator lags', async () => {
    const { ec2, client } = await startWorld({ lag: { notFoundMs: 1000 } });
    const id = await launchOne(client);
    await expect(terminate(client, id)).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    expect(ec2.instances().map(({ state }) => state)).toEqual(['pending']);
  });
});

/** A GitHub that knows no runner, so that every runner ends as soon as it has asked. */
async function startForgetfulGitHub(): Promise<{ url: string; asked: Promise<string> }> {
  let heard: (path: string) => void;
  const asked = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const server = createServer((request, response) => {
    heard(request.url ?? '');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endAfterTest(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/runners`, asked };
}

const until = (ec2: Ec2Emulator, state: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = ec2.on('instance', (event) => {
      if (event.state !== state) return;
      stop();
      resolve();
    });
  });

const script = (serverUrl: string): string => {
  const jitConfig = encodeJitConfig({ serverUrl, scaleSetId: 1, runnerId: 7, name: 'linux-1', secret: 'secret' });
  return `#!/bin/bash\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='${jitConfig}'\nset -u\n./run.sh\n`;
};

describe('the machine of an instance', () => {
  test('runs the runner it was delivered, and ends its instance when it powers off', async () => {
    const github = await startForgetfulGitHub();
    const { ec2, client, clock } = await startWorld();
    const ended = until(ec2, 'shutting-down');
    const id = await launchOne(client, { UserData: base64(script(github.url)) });
    clock.advance(10_000);
    expect(await github.asked).toBe('/runners/7/connect');
    await ended;
    expect(ec2.instances()).toMatchObject([
      { id, machine: 'off', runnerName: 'linux-1', stateReason: { code: 'Client.InstanceInitiatedShutdown' } },
    ]);
    const { Output = '' } = await client.send(new GetConsoleOutputCommand({ InstanceId: id }));
    expect(Buffer.from(Output, 'base64').toString()).toContain('2026-01-02T12:00:10.000Z booted\n');
  });

  test('stops its instance instead where that is the behaviour', async () => {
    const github = await startForgetfulGitHub();
    const { ec2, client, clock } = await startWorld();
    const stopping = until(ec2, 'stopping');
    await launchOne(client, { UserData: base64(script(github.url)), InstanceInitiatedShutdownBehavior: 'stop' });
    clock.advance(10_000);
    await stopping;
    clock.advance(5000);
    expect((await list(client))[0]).toMatchObject({ State: { Code: 80, Name: 'stopped' }, SubnetId: SUBNET_A });
  });

  test.each([
    { name: 'no user data', userData: undefined, problem: 'nothing was delivered to the machine' },
    { name: 'base64 twice', userData: base64(base64('#!/bin/sh\n')), problem: 'does not begin with #!' },
    {
      name: 'a script without a registration',
      userData: base64('#!/bin/sh\n./run.sh\n'),
      problem: 'does not export ACTIONS_RUNNER_INPUT_JITCONFIG',
    },
    {
      name: 'a registration that is none',
      userData: base64("#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='e30'\n"),
      problem: 'the configuration has no .runner',
    },
  ])('stays without a runner for $name', async ({ userData, problem }) => {
    const { ec2, client, clock } = await startWorld();
    await launchOne(client, { ...(userData !== undefined && { UserData: userData }) });
    clock.advance(10_000);
    expect(ec2.instances()).toMatchObject([
      { state: 'running', machine: 'runnerless', problem: expect.stringContaining(problem) as string },
    ]);
  });
});

describe('what else is in the account', () => {
  test("somebody else's machine is listed, and ended by nobody but its caller", async () => {
    const { ec2, client } = await startWorld();
    const foreign = ec2.addForeignInstance({ tags: { Name: 'database' }, ageMs: 86_400_000 });
    expect(foreign).toMatchObject({ name: 'database', state: 'running' });
    expect(await list(client)).toMatchObject([
      {
        InstanceId: foreign.id,
        State: { Name: 'running' },
        LaunchTime: new Date('2026-01-01T12:00:00Z'),
        Tags: [{ Key: 'Name', Value: 'database' }],
      },
    ]);
  });

  test('its images have a root device, or none', async () => {
    const image = { id: 'ami-00000001', name: 'old', architecture: 'x86_64' as const, rootVolumeGiB: 8 };
    const { ec2, client } = await startWorld();
    const { Images } = await client.send(new DescribeImagesCommand({ ImageIds: [IMAGE] }));
    expect(Images).toMatchObject([
      { ImageId: IMAGE, RootDeviceName: '/dev/sda1', State: 'available', OwnerId: ec2.accountId },
    ]);
    await expect(client.send(new DescribeImagesCommand({ ImageIds: ['ami-00000001'] }))).rejects.toMatchObject({
      name: 'InvalidAMIID.NotFound',
      message: "The image id '[ami-00000001]' does not exist",
    });
    await expect(client.send(new DescribeImagesCommand({ ImageIds: ['ami-x'] }))).rejects.toMatchObject({
      name: 'InvalidAMIID.Malformed',
    });
    const other = await startWorld({ catalogue: { images: [image] } });
    const without = await other.client.send(new DescribeImagesCommand({ ImageIds: ['ami-00000001'] }));
    expect(without.Images?.[0]?.RootDeviceName).toBeUndefined();
  });

  test('its subnets tell how many addresses are free', async () => {
    const { client } = await startWorld();
    await launchOne(client);
    const { Subnets } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [SUBNET_A] }));
    expect(Subnets).toMatchObject([
      { SubnetId: SUBNET_A, AvailabilityZone: 'eu-central-1a', AvailableIpAddressCount: 3999 },
    ]);
    await expect(client.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-x'] }))).rejects.toMatchObject({
      name: 'InvalidSubnetID.NotFound',
    });
  });

  test('tags can be added to all of the named resources, or to none', async () => {
    const { ec2, client } = await startWorld();
    const id = await launchOne(client);
    const tag = (Resources: string[], Key: string) =>
      client.send(new CreateTagsCommand({ Resources, Tags: [{ Key, Value: 'x' }] }));
    await tag([id], 'team');
    await expect(tag([id, 'i-0123456789abcdef0'], 'other')).rejects.toMatchObject({
      name: 'InvalidInstanceID.NotFound',
    });
    await expect(tag([id, 'vol-0123456789abcdef0'], 'other')).rejects.toMatchObject({ name: 'InvalidVolume.NotFound' });
    await expect(tag([id, 'x'], 'other')).rejects.toMatchObject({ name: 'InvalidID' });
    expect(ec2.instances()[0]?.tags).toEqual({ team: 'x' });
  });
});
