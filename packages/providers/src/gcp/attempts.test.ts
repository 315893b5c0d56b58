import { describe, expect, test } from 'vitest';
import { attemptsLeft, attemptText, nextAttempt, planAttempts } from './attempts.js';

const plan = planAttempts(['b', 'c'], ['small', 'large'], 0);
const texts = (attempts: readonly { zone: string; machineType?: string }[]): string[] => attempts.map(attemptText);

describe('attempts', () => {
  test.each([
    [0, ['b small', 'b large', 'c small', 'c large']],
    [1, ['c small', 'c large', 'b small', 'b large']],
    [2, ['b small', 'b large', 'c small', 'c large']],
    [7, ['c small', 'c large', 'b small', 'b large']],
  ])('from place %d on are %j', (first, want) => {
    expect(texts(planAttempts(['b', 'c'], ['small', 'large'], first))).toEqual(want);
  });

  test('of a template that gives the type are one a zone', () => {
    expect(texts(planAttempts(['b', 'c'], [], 0))).toEqual(['b', 'c']);
  });

  test('that were full are made last', () => {
    expect(nextAttempt(plan, ({ zone }) => zone === 'b')).toBe(plan[2]);
    expect(nextAttempt(plan, () => true)).toBe(plan[0]);
    expect(nextAttempt([], () => false)).toBeUndefined();
  });

  test.each([
    ['full', ['b large', 'c small', 'c large']],
    ['other', ['b large', 'c small', 'c large']],
    ['not offered', ['b large', 'c small', 'c large']],
    ['quota', ['b large', 'c large']],
  ] as const)('left after one that was %s', (refusal, want) => {
    const [first] = plan;
    expect(first && texts(attemptsLeft(plan, first, refusal))).toEqual(want);
  });
});
