import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** How many given-when-then cases there are of what a reconciler has to do. */
const CASES = 77;

test('every case has exactly one test of its number', () => {
  const text = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    .join('\n');
  const numbers = [...text.matchAll(/\(\s*['"]case (\d+):/g)].map(([, number]) => Number(number));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: CASES }, (_, at) => at + 1));
});
