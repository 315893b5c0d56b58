import { describe, expect, test } from 'vitest';
import { type Attempt, attemptsLeft, attemptText, clientToken, nextAttempt, planAttempts } from './attempts.js';

const attempts = planAttempts(['subnet-a', 'subnet-b'], ['m7i.xlarge', 'm6i.xlarge']);
const [a7, a6, b7, b6] = attempts as [Attempt, Attempt, Attempt, Attempt];
const never = (): boolean => false;

describe('planAttempts', () => {
  test('goes through the types within a subnet before the next subnet', () => {
    expect(attempts.map(attemptText)).toEqual([
      'subnet-a m7i.xlarge',
      'subnet-a m6i.xlarge',
      'subnet-b m7i.xlarge',
      'subnet-b m6i.xlarge',
    ]);
  });

  test('makes one attempt a subnet without a type when the launch template gives it', () => {
    expect(planAttempts(['subnet-a', 'subnet-b'], [])).toEqual([{ subnet: 'subnet-a' }, { subnet: 'subnet-b' }]);
    expect(attemptText({ subnet: 'subnet-a' })).toBe('subnet-a');
  });
});

describe('nextAttempt', () => {
  test('takes the first', () => expect(nextAttempt(attempts, never)).toBe(a7));
  test('leaves what was full for last', () =>
    expect(nextAttempt(attempts, (one) => one === a7 || one === a6)).toBe(b7));
  test('takes what was full when there is nothing else', () => expect(nextAttempt(attempts, () => true)).toBe(a7));
  test('takes nothing of nothing', () => expect(nextAttempt([], never)).toBeUndefined());
});

describe('attemptsLeft', () => {
  test.each([
    ['full', [a6, b7, b6]],
    ['unsupported', [a6, b7, b6]],
    ['quota', [a6, b6]],
    ['throttled', []],
    ['invalid', []],
    ['uncertain', []],
    ['other', []],
  ] as const)('after %s', (refusal, left) => {
    expect(attemptsLeft(attempts, a7, refusal)).toEqual(left);
  });

  test('keeps what was skipped before the one that was tried', () => {
    expect(attemptsLeft(attempts, b7, 'full')).toEqual([a7, a6, b6]);
  });

  test('a quota on a type from the launch template is a quota in every subnet', () => {
    const [first, ...rest] = planAttempts(['subnet-a', 'subnet-b'], []) as [Attempt, Attempt];
    expect(attemptsLeft([first, ...rest], first, 'quota')).toEqual([]);
  });
});

describe('clientToken', () => {
  test('is the same for a repetition and another for every attempt and runner', () => {
    const tokens = [
      clientToken('linux-1ff1015a', a7),
      clientToken('linux-1ff1015a', a6),
      clientToken('linux-1ff1015a', b7),
      clientToken('linux-1ff1015b', a7),
      clientToken('linux-1ff1015a', { subnet: 'subnet-a' }),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(clientToken('linux-1ff1015a', { ...a7 })).toBe(tokens[0]);
  });

  test('does not confuse where one part ends and the next begins', () => {
    expect(clientToken('a', { subnet: 'bc' })).not.toBe(clientToken('ab', { subnet: 'c' }));
  });

  test('fits into the 64 ASCII characters EC2 takes, however long the name', () => {
    expect(clientToken('é'.repeat(300), a7)).toMatch(/^[0-9a-f]{64}$/);
  });
});
