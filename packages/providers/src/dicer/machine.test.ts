import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { InstanceState, ListedInstanceSchema } from '@rungar/dicer-api';
import { expect, test } from 'vitest';
import { labelsOf } from '../../test/aws-builders.js';
import { type DicerInstance, toMachine } from './machine.js';

function instance(more: Partial<DicerInstance> = {}): DicerInstance {
  const facts = { id: '0a1b', name: 'linux-1', vcpus: 4, memoryBytes: 8n * 1024n ** 3n, labels: labelsOf('linux-1') };
  return { ...create(ListedInstanceSchema, facts), state: InstanceState.RUNNING, ...more };
}

test('has what the instance has', () => {
  expect(toMachine(instance({ createTime: timestampFromMs(1_790_000_000_123) }))).toEqual({
    name: 'linux-1',
    id: '0a1b',
    labels: labelsOf('linux-1'),
    state: 'running',
    size: '4 vCPU, 8 GiB',
    createdAt: 1_790_000_000_123,
  });
});

test('whose creation nobody tells has no time of it', () => {
  expect(toMachine(instance())).not.toHaveProperty('createdAt');
});

test('in a state of a newer daemon is unknown', () => {
  expect(toMachine(instance({ state: 99 as InstanceState })).state).toBe('unknown');
});

test.each<[string | undefined, Partial<DicerInstance>]>([
  ['no space left on device', { state: InstanceState.FAILED, stateError: 'no space left on device', exitCode: 1 }],
  ['its command ended with exit code 0', { state: InstanceState.STOPPED, exitCode: 0 }],
  ['its command ended with exit code 137', { state: InstanceState.STOPPING, exitCode: 137 }],
  [undefined, { state: InstanceState.STOPPED }],
  [undefined, { state: InstanceState.RUNNING, stateError: 'an old one' }],
])('says why it has ended: %s', (want, more) => expect(toMachine(instance(more)).stateReason).toBe(want));
