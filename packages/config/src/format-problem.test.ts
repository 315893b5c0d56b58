import { expect, test } from 'vitest';
import { formatDeprecation, formatProblem } from './format-problem.js';

const place = { file: '/etc/c.yaml', line: 3, column: 7 };

test('a problem is one line', () => {
  expect(formatProblem({ severity: 'error', place, path: 'github.url', message: 'is missing' })).toBe(
    '/etc/c.yaml:3:7: github.url: is missing',
  );
  expect(formatProblem({ severity: 'error', place, path: '', message: 'is empty', hint: 'write one' })).toBe(
    '/etc/c.yaml:3:7: is empty (write one)',
  );
});

test('a value that came through an anchor has both places', () => {
  const used = { ...place, usedAt: { ...place, line: 12 } };
  expect(formatProblem({ severity: 'error', place: used, path: 'a', message: 'is wrong', hint: 'mend it' })).toBe(
    '/etc/c.yaml:3:7: a: is wrong, and used on line 12 (mend it)',
  );
});

test('a deprecation names its line, or none where it concerns the whole file', () => {
  const deprecation = { severity: 'warning', place, path: 'old', message: 'old is now new' } as const;
  expect(formatDeprecation(deprecation)).toBe('line 3: old is now new');
  expect(formatDeprecation({ ...deprecation, path: '', hint: 'add it' })).toBe('old is now new (add it)');
});
