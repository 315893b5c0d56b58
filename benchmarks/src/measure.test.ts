import { expect, test } from 'vitest';
import { compare, median, type Round } from './measure.js';

/** A round that takes these times, the last one for ever, and writes its name down. */
const taking = (times: readonly number[], name: string, log: string[]): Round => {
  let at = 0;
  return () => {
    log.push(name);
    return times[Math.min(at++, times.length - 1)] ?? Number.NaN;
  };
};

test('both are warmed up until two rounds agree, then measured in turn', async () => {
  const log: string[] = [];
  await compare(taking([100, 50, 20, 19, 10], 'ours', log), taking([10], 'reference', log));
  expect(log.slice(0, 6)).toEqual(['ours', 'ours', 'ours', 'ours', 'reference', 'reference']);
  const rounds = log.slice(6);
  expect(rounds.length).toBeGreaterThanOrEqual(14);
  expect(rounds).toEqual(rounds.map((_, at) => (at % 2 === 0 ? 'ours' : 'reference')));
});

test('warming up ends even if no two rounds agree', async () => {
  let time = 1;
  const growing: Round = () => (time *= 2);
  await expect(compare(growing, () => 1)).resolves.toMatchObject({ referenceMs: 1 });
});

test('the ratio is the middle one of the rounds’ own, so that one slow round does not matter', async () => {
  const result = await compare(taking([20, 20, 20, 900, 20], 'ours', []), taking([10], 'reference', []));
  expect(result).toMatchObject({ ratio: 2, min: 2, max: 90, oursMs: 20, referenceMs: 10 });
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[10, 9], 9.5],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle);
});

test('of several tries in a round the fastest counts', async () => {
  const ours = taking([30, 30, 90, 20, 90, 20, 90, 20], 'ours', []);
  await expect(compare(ours, taking([10], 'reference', []), 3)).resolves.toMatchObject({ ratio: 2, max: 2 });
});
