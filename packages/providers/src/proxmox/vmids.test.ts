import { fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { PveError } from './errors.js';
import { chooseVmid, watchVmidRange } from './vmids.js';

const signal = new AbortController().signal;

describe('a VMID', () => {
  test.each([
    ['the lowest', 0, 100],
    ['the highest', 0.9999999, 109],
  ])('may be %s of the range', (_, fraction, want) => {
    const random = { ...seededRandom(1), fraction: () => fraction };
    expect(chooseVmid({ lowest: 100, highest: 109 }, () => false, random)).toBe(want);
  });

  test('is found even when it is the only free one of many', () => {
    const range = { lowest: 100, highest: 100_099 };
    expect(chooseVmid(range, (vmid) => vmid !== 70_123, seededRandom(1))).toBe(70_123);
  });

  test('is refused when all are taken', () => {
    expect(() => chooseVmid({ lowest: 100, highest: 199 }, () => true, seededRandom(1))).toThrow(
      expect.objectContaining({ code: 'no_capacity' }),
    );
  });
});

describe('the range', () => {
  function asked(...answers: (unknown | Error)[]): { ask: () => Promise<unknown>; count: () => number } {
    let count = 0;
    const ask = async (): Promise<unknown> => {
      const answer = answers[count++];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { ask, count: () => count };
  }

  test.each([
    ['as an object', { 'next-id': { lower: '200', upper: '300' } }, { lowest: 200, highest: 299 }],
    ['as text', { 'next-id': 'lower=200,upper=300' }, { lowest: 200, highest: 299 }],
    ['with one end alone', { 'next-id': { lower: 5000 } }, { lowest: 5000, highest: 999_999 }],
    ['where none is set', { keyboard: 'en-us' }, { lowest: 100, highest: 999_999 }],
    ['where it makes no sense', { 'next-id': { lower: 300, upper: 200 } }, { lowest: 100, highest: 999_999 }],
    ['where it may not be read', new PveError('unauthorised', 'no'), { lowest: 100, highest: 999_999_999 }],
  ])('is read %s', async (_, answer, want) => {
    expect(await watchVmidRange(fakeClock(), asked(answer).ask)(signal)).toEqual(want);
  });

  test('is asked for once an hour, and kept when that fails', async () => {
    const clock = fakeClock();
    const { ask, count } = asked({ 'next-id': { lower: 200, upper: 300 } }, new PveError('unanswered', 'gone'));
    const range = watchVmidRange(clock, ask);
    await range(signal);
    await clock.advance(3_599_999);
    await range(signal);
    expect(count()).toBe(1);
    await clock.advance(1);
    expect(await range(signal)).toEqual({ lowest: 200, highest: 299 });
    expect(count()).toBe(2);
  });

  test('is waited for by all that need it at first', async () => {
    const { ask, count } = asked({ 'next-id': { lower: 200, upper: 300 } });
    const range = watchVmidRange(fakeClock(), ask);
    const want = { lowest: 200, highest: 299 };
    expect(await Promise.all([range(signal), range(signal)])).toEqual([want, want]);
    expect(count()).toBe(1);
  });
});
