import { expect, test } from 'vitest';
import { Ec2Error } from './errors.js';
import { terminateAll } from './terminate.js';

const id = (n: number): string => `i-${n.toString(16).padStart(8, '0')}`;
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => id(n));

const notFound = (message: string): Ec2Error => new Ec2Error('InvalidInstanceID.NotFound', message, 'invalid', 400);

/** EC2 without the instances `missing`: one of them fails a whole call. */
function ec2Without(missing: readonly string[], names: 'names them' | 'names none') {
  const calls: (readonly string[])[] = [];
  const call = async (some: readonly string[]): Promise<void> => {
    calls.push(some);
    const wrong = some.filter((one) => missing.includes(one));
    if (wrong.length === 0) return;
    throw notFound(names === 'names them' ? `The instance IDs '${wrong.join(', ')}' do not exist` : 'no such instance');
  };
  return { calls, call };
}

const deleted = { status: 'fulfilled', value: 'deleted' };
const absent = { status: 'fulfilled', value: 'absent' };

test('a hundred instances are one call', async () => {
  const { calls, call } = ec2Without([], 'names them');
  expect(await terminateAll(ids(100), call)).toEqual(ids(100).map(() => deleted));
  expect(calls).toEqual([ids(100)]);
});

test('an instance that is gone costs one more call, and its neighbours nothing', async () => {
  const { calls, call } = ec2Without([id(7), id(9)], 'names them');
  const outcomes = await terminateAll(ids(100), call);
  expect(outcomes[7]).toEqual(absent);
  expect(outcomes[9]).toEqual(absent);
  expect(outcomes.filter((one) => one.status === 'fulfilled' && one.value === 'deleted')).toHaveLength(98);
  expect(calls).toHaveLength(2);
});

test('one that the answer does not name is found by halves', async () => {
  const { calls, call } = ec2Without([id(63)], 'names none');
  const outcomes = await terminateAll(ids(64), call);
  expect(outcomes[63]).toEqual(absent);
  expect(outcomes.slice(0, 63)).toEqual(ids(63).map(() => deleted));
  expect(calls).toHaveLength(1 + 2 * 6);
});

test('one that is protected keeps its error, and the rest goes', async () => {
  const refusal = new Ec2Error('OperationNotPermitted', `The instance '${id(1)}' may not be terminated.`, 'other', 400);
  const outcomes = await terminateAll(ids(3), async (some) => {
    if (some.includes(id(1))) throw refusal;
  });
  expect(outcomes).toEqual([deleted, { status: 'rejected', reason: refusal }, deleted]);
});

test.each([
  new Ec2Error('UnauthorizedOperation', `not on instance/${id(1)}`, 'other', 403),
  new Ec2Error('NoAnswer', 'no answer', 'uncertain'),
  notFound(`The instance ID 'i-99999999' does not exist`),
])('$code of the whole call: what may still be there is not taken for gone', async (refusal) => {
  let calls = 0;
  const outcomes = await terminateAll([id(1), id(2)], async (some) => {
    calls += 1;
    if (some.length > 1) throw refusal;
  });
  const whole = refusal.code !== 'InvalidInstanceID.NotFound';
  expect(outcomes).toEqual(whole ? [1, 2].map(() => ({ status: 'rejected', reason: refusal })) : [deleted, deleted]);
  expect(calls).toBe(whole ? 1 : 3);
});

test('an instance asked for twice is sent once', async () => {
  const { calls, call } = ec2Without([], 'names them');
  expect(await terminateAll([id(1), id(1)], call)).toEqual([deleted, deleted]);
  expect(calls).toEqual([[id(1)]]);
});
