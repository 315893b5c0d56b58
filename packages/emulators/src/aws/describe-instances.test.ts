import { DescribeInstancesCommand, type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { launch, launchOne, list, post, SUBNET_A, SUBNET_B, startWorld, textOf, type World } from '../../test/ec2.js';

const named = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  TagSpecifications: [
    {
      ResourceType: 'instance' as const,
      Tags: Object.entries({ Name: name, ...more }).map(([Key, Value]) => ({ Key, Value })),
    },
  ],
});

const names = async (client: EC2Client, filters: Readonly<Record<string, string[]>>): Promise<string[]> =>
  (await list(client, filters)).map(({ Tags = [] }) => Tags.find(({ Key }) => Key === 'Name')?.Value ?? '-');

describe('filters', () => {
  const start = async (): Promise<World> => {
    const world = await startWorld();
    await launchOne(world.client, named('linux-1', { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-1' }));
    await launchOne(world.client, {
      ...named('linux-2', { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-2' }),
      InstanceType: 'm6i.large',
    });
    await launchOne(world.client, {
      ...named('other', { team: 'a*b' }),
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: SUBNET_B }],
      ClientToken: 'token',
    });
    await launchOne(world.client, { ...named('spot'), InstanceMarketOptions: { MarketType: 'spot' } });
    return world;
  };

  test.each<[filters: Record<string, string[]>, want: string[]]>([
    [{}, ['linux-1', 'linux-2', 'other', 'spot']],
    [{ 'tag:Name': ['linux-1'] }, ['linux-1']],
    [{ 'tag:Name': ['linux-1', 'spot'] }, ['linux-1', 'spot']],
    [{ 'tag:Name': ['linux-*'] }, ['linux-1', 'linux-2']],
    [{ 'tag:Name': ['linux-?'] }, ['linux-1', 'linux-2']],
    [{ 'tag:Name': ['LINUX-1'] }, []],
    [{ 'tag:name': ['linux-1'] }, []],
    [{ 'tag:team': ['a\\*b'] }, ['other']],
    [{ 'tag:rungar.sh/managed': ['true'], 'tag:rungar.sh/installation': ['gh-2'] }, ['linux-2']],
    [{ 'tag-key': ['team'] }, ['other']],
    [{ 'subnet-id': [SUBNET_B] }, ['other']],
    [{ 'subnet-id': [SUBNET_A], 'instance-type': ['m5.large'] }, ['linux-1', 'spot']],
    [{ 'availability-zone': ['eu-central-1b'] }, ['other']],
    [{ 'instance-lifecycle': ['spot'] }, ['spot']],
    [{ 'client-token': ['token'] }, ['other']],
    [{ 'instance-state-name': ['pending', 'running'] }, ['linux-1', 'linux-2', 'other', 'spot']],
    [{ 'instance-state-name': ['running'] }, []],
    [{ 'instance-state-code': ['0'] }, ['linux-1', 'linux-2', 'other', 'spot']],
    [{ 'instance.group-id': ['sg-0aaaaaaaaaaaaaaa1'] }, ['linux-1', 'linux-2', 'spot']],
    [{ 'owner-id': ['123456789012'], 'image-id': ['ami-*'] }, ['linux-1', 'linux-2', 'other', 'spot']],
  ])('%j gives %j', async (filters, want) => {
    const { client } = await start();
    expect(await names(client, filters)).toEqual(want);
  });

  test.each([
    {
      name: 'a filter there is none of',
      form: { 'Filter.1.Name': 'tags', 'Filter.1.Value.1': 'x' },
      code: 'InvalidParameterValue',
      message: "The filter 'tags' is invalid",
    },
    {
      name: 'a filter without a value',
      form: { 'Filter.1.Name': 'tag:x' },
      code: 'InvalidParameterValue',
      message: "The filter 'tag:x' has no value",
    },
    {
      name: 'a filter without a name',
      form: { 'Filter.1.Value.1': 'x' },
      code: 'MissingParameter',
      message: 'The request must contain the parameter Filter.1.Name',
    },
    {
      name: '201 values',
      form: {
        'Filter.1.Name': 'instance-id',
        ...Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`Filter.1.Value.${n + 1}`, `i-${n}`])),
      },
      code: 'FilterLimitExceeded',
      message: 'The maximum number of filter values specified on a single call is 200',
    },
    {
      name: 'an id that is none',
      form: { 'InstanceId.1': 'i-xyz' },
      code: 'InvalidInstanceID.Malformed',
      message: 'Invalid id: &quot;i-xyz&quot;',
    },
    {
      name: 'ids that do not exist',
      form: { 'InstanceId.1': 'i-00000001', 'InstanceId.2': 'i-00000002' },
      code: 'InvalidInstanceID.NotFound',
      message: "The instance IDs 'i-00000001, i-00000002' do not exist",
    },
    {
      name: 'ids with a page size',
      form: { 'InstanceId.1': 'i-00000001', MaxResults: '5' },
      code: 'InvalidParameterCombination',
      message: 'The parameter instancesSet cannot be used with the parameter maxResults',
    },
    {
      name: 'a page of 4',
      form: { MaxResults: '4' },
      code: 'InvalidParameterValue',
      message: 'Value ( 4 ) for parameter maxResults is invalid. Expecting a value greater than 5.',
    },
    {
      name: 'a page of 1001',
      form: { MaxResults: '1001' },
      code: 'InvalidParameterValue',
      message: 'Value ( 1001 ) for parameter maxResults is invalid. Expecting a value less than or equal to 1000.',
    },
    {
      name: 'a token that is none',
      form: { NextToken: 'abc' },
      code: 'InvalidParameterValue',
      message: 'Unable to parse pagination token',
    },
  ])('refuses $name', async ({ form, code, message }) => {
    const { ec2 } = await startWorld();
    const answer = await post(ec2, { Action: 'DescribeInstances', ...form });
    expect([textOf(answer.body, 'Code'), textOf(answer.body, 'Message')]).toEqual([code, message]);
  });

  test('gives the instances of given ids', async () => {
    const { ec2, client } = await start();
    const InstanceIds = ec2
      .instances()
      .slice(1, 3)
      .map(({ id }) => id);
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds }));
    expect(Reservations.map(({ Instances = [] }) => Instances[0]?.InstanceId)).toEqual(InstanceIds);
  });
});

describe('pages', () => {
  const pages = async (client: EC2Client, filters: Readonly<Record<string, string[]>> = {}): Promise<number[]> => {
    const sizes: number[] = [];
    const Filters = Object.entries(filters).map(([Name, Values]) => ({ Name, Values }));
    for await (const { Reservations = [] } of paginateDescribeInstances(
      { client, pageSize: 5 },
      { ...(Filters.length > 0 && { Filters }) },
    )) {
      sizes.push(Reservations.reduce((sum, { Instances = [] }) => sum + Instances.length, 0));
    }
    return sizes;
  };

  test('are as long as was asked for, the last one the rest; a full last page has no successor', async () => {
    const { client } = await startWorld();
    for (let n = 0; n < 10; n++) await launchOne(client);
    expect(await pages(client)).toEqual([5, 5]);
    await launchOne(client);
    expect(await pages(client)).toEqual([5, 5, 1]);
  });

  test('are cut at a size of EC2s own where none is asked for', async () => {
    const { client } = await startWorld({ paging: { pageSize: 3 } });
    for (let n = 0; n < 4; n++) await launchOne(client);
    const { Reservations, NextToken } = await client.send(new DescribeInstancesCommand({}));
    expect([Reservations?.length, typeof NextToken]).toEqual([3, 'string']);
  });

  test('may be empty with more to come, when they are cut before the filters', async () => {
    const { client } = await startWorld({ paging: { beforeFilters: true } });
    for (let n = 0; n < 6; n++) await launchOne(client);
    await launchOne(client, named('last'));
    expect(await pages(client, { 'tag:Name': ['last'] })).toEqual([0, 1]);
  });

  test('go on behind what ends in between, and take in what comes in between', async () => {
    const { ec2, client, clock } = await startWorld({ times: { terminatedMs: 0 } });
    for (let n = 0; n < 6; n++) await launchOne(client);
    const first = await client.send(new DescribeInstancesCommand({ MaxResults: 5 }));
    ec2.terminate(ec2.instances()[0]?.id ?? '');
    clock.advance(6000);
    await launchOne(client);
    const second = await client.send(new DescribeInstancesCommand({ MaxResults: 5, NextToken: first.NextToken }));
    expect(second.Reservations).toHaveLength(2);
  });

  test('of one listing do not continue another', async () => {
    const { client } = await startWorld();
    for (let n = 0; n < 6; n++) await launchOne(client);
    const { NextToken } = await client.send(new DescribeInstancesCommand({ MaxResults: 5 }));
    const Filters = [{ Name: 'instance-type', Values: ['m5.large'] }];
    await expect(
      client.send(new DescribeInstancesCommand({ MaxResults: 5, NextToken, Filters })),
    ).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });

  test('keep the instances of one launch in one reservation', async () => {
    const { client } = await startWorld();
    await client.send(launch({ MinCount: 3, MaxCount: 3 }));
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({}));
    expect(Reservations.map(({ Instances = [] }) => Instances.length)).toEqual([3]);
  });
});

describe('a listing that lags', () => {
  test('lacks a new instance at first', async () => {
    const { client, clock } = await startWorld({ lag: { missingMs: 30_000 } });
    const id = await launchOne(client, named('new'));
    clock.advance(29_999);
    expect(await list(client)).toEqual([]);
    clock.advance(1);
    expect(await list(client)).toMatchObject([{ InstanceId: id }]);
  });

  test('lacks its tags at first, so that no filter by tag finds it', async () => {
    const { client, clock } = await startWorld({ lag: { untaggedMs: 30_000 } });
    await launchOne(client, named('new'));
    clock.advance(29_999);
    expect((await list(client)).map(({ Tags }) => Tags)).toEqual([undefined]);
    expect(await names(client, { 'tag:Name': ['new'] })).toEqual([]);
    clock.advance(1);
    expect(await names(client, { 'tag:Name': ['new'] })).toEqual(['new']);
  });

  test('shows the state of a while ago', async () => {
    const { ec2, client, clock } = await startWorld({ lag: { stateMs: 20_000 } });
    const id = await launchOne(client);
    const state = async (): Promise<string | undefined> => (await list(client))[0]?.State?.Name;
    clock.advance(10_000);
    expect([ec2.instances()[0]?.state, await state()]).toEqual(['running', 'pending']);
    clock.advance(20_000);
    expect(await state()).toBe('running');
    ec2.terminate(id);
    clock.advance(19_999);
    expect(await state()).toBe('running');
    clock.advance(1);
    expect(await state()).toBe('shutting-down');
  });

  test('does not know a new id at first', async () => {
    const { client, clock } = await startWorld({ lag: { notFoundMs: 2000 } });
    const id = await launchOne(client);
    const find = () => client.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    await expect(find()).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    clock.advance(2000);
    expect((await find()).Reservations).toHaveLength(1);
  });
});
