import type { DescribeInstancesCommandInput, Instance, InstanceStateName } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { labelsOf, SELECTOR } from '../../test/aws-builders.js';
import type { Ec2 } from './client.js';
import { listOwn } from './list.js';
import { toMachine } from './machine.js';

const signal = new AbortController().signal;

/** An EC2 that answers every listing with `instances`, whatever its filters say. */
function ec2Listing(
  instances: Instance[],
): Pick<Ec2, 'describeInstances'> & { asked: DescribeInstancesCommandInput[] } {
  const asked: DescribeInstancesCommandInput[] = [];
  return {
    asked,
    async describeInstances(input) {
      asked.push(input);
      return { instances, clockOffsetMs: 250 };
    },
  };
}

function instance(name: string, more: Instance = {}): Instance {
  const Tags = Object.entries({ Name: name, ...labelsOf(name) }).map(([Key, Value]) => ({ Key, Value }));
  return { InstanceId: 'i-0a1b2c3d', InstanceType: 'm7i.xlarge', State: { Name: 'running' }, Tags, ...more };
}

const inState = (state: string, more: Instance = {}): Instance =>
  instance('linux-1', { State: { Name: state as InstanceStateName }, ...more });

test('compares the labels itself, whatever EC2 answered', async () => {
  const other = instance('linux-2', { Tags: [{ Key: 'Name', Value: 'linux-2' }] });
  const { machines, clockOffsetMs } = await listOwn(ec2Listing([instance('linux-1'), other]), SELECTOR, signal);
  expect(machines.map((machine) => machine.name)).toEqual(['linux-1']);
  expect(clockOffsetMs).toBe(250);
});

test('takes nothing in a value for a wildcard', async () => {
  const ec2 = ec2Listing([]);
  await listOwn(ec2, { 'rungar.sh/scale-set': 'a*b?c\\d' }, signal);
  expect(ec2.asked[0]?.Filters?.[0]).toEqual({ Name: 'tag:rungar.sh/scale-set', Values: ['a\\*b\\?c\\\\d'] });
});

test.each(['shutting-down', 'terminated'])('leaves out what is %s', async (state) => {
  expect((await listOwn(ec2Listing([inState(state)]), SELECTOR, signal)).machines).toEqual([]);
});

describe('toMachine', () => {
  test.each([
    ['pending', 'starting'],
    ['running', 'running'],
    ['stopping', 'stopped'],
    ['stopped', 'stopped'],
    ['hibernating', 'unknown'],
    ['toString', 'unknown'],
  ])('%s is %s', (state, want) => {
    expect(toMachine(inState(state)).state).toBe(want);
  });

  test('an instance without a state is unknown', () => {
    expect(toMachine({ InstanceId: 'i-0a1b2c3d' })).toEqual({
      name: '',
      id: 'i-0a1b2c3d',
      labels: {},
      state: 'unknown',
      size: '',
    });
  });

  test('keeps labels, size and the time of launch, and no other tag', () => {
    const LaunchTime = new Date('2027-01-04T09:00:00.000Z');
    const Tags = [...(instance('linux-1').Tags ?? []), { Key: 'team', Value: 'ci' }];
    expect(toMachine(instance('linux-1', { LaunchTime, Tags }))).toEqual({
      name: 'linux-1',
      id: 'i-0a1b2c3d',
      labels: labelsOf('linux-1'),
      state: 'running',
      size: 'm7i.xlarge',
      createdAt: Date.UTC(2027, 0, 4, 9),
    });
  });

  test('says why an ended one has ended', () => {
    const Message = 'Server.SpotInstanceTermination: taken back';
    expect(toMachine(inState('stopped', { StateReason: { Message } })).stateReason).toBe(Message);
    expect(toMachine(inState('stopped', { StateTransitionReason: 'User initiated' })).stateReason).toBe(
      'User initiated',
    );
    expect(toMachine(inState('pending', { StateReason: { Message: 'pending' } }))).not.toHaveProperty('stateReason');
  });
});
