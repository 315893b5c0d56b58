import { expect, test } from 'vitest';
import { randomHex, randomUuid, realRandom, seededRandom } from './random.js';

test('the same seed gives the same sequence, another seed another one', () => {
  const draw = (seed: number): string => randomHex(seededRandom(seed), 16);
  expect(draw(7)).toBe(draw(7));
  expect(draw(7)).not.toBe(draw(8));
});

test('a UUID is of version 4', () => {
  expect(randomUuid(realRandom)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test.each([
  ['real', realRandom],
  ['seeded', seededRandom(1)],
])('fractions of the %s randomness are from 0 to below 1', (_, random) => {
  const drawn = Array.from({ length: 1000 }, () => random.fraction());
  expect(drawn.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(990);
});
