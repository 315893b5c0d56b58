import fc from 'fast-check';
import { test } from 'vitest';
import { nearest } from './nearest.js';

/** The distance from every pair of beginnings, the plain way. */
function slips(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const row = table[i] ?? [];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}

test('is the first of the candidates with the fewest slips, if those are few enough', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(words, fc.array(words, { maxLength: 8 }), (word, candidates) => {
      const few = Math.max(1, Math.floor(word.length / 3));
      const least = Math.min(...candidates.map((each) => slips(word, each)));
      const wanted = least > few ? undefined : candidates.find((each) => slips(word, each) === least);
      return nearest(word, candidates) === wanted;
    }),
    { numRuns: 300 },
  );
});
