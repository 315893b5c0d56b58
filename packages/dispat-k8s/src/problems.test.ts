import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT, exitCodeFor } from './exit.js';
import { InputError, inputError, PROBLEM_CODES, type ProblemCode, ProblemList, problemLine } from './problems.js';

const problem = { at: 'count', found: '0', allowed: '1 or more', fix: 'write 4' };

test('the documentation has every code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/dispat-workers.md'), 'utf8');
  expect(PROBLEM_CODES.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

describe('a list of problems', () => {
  test('throws all of them at once when one is an error', () => {
    const list = new ProblemList();
    list.add({ code: 'COUNT_INVALID', ...problem });
    list.add({ code: 'IMAGE_FLOATING', severity: 'warning', ...problem });
    expect(() => list.throwIfAny()).toThrow(InputError);
    expect(list.all.map(({ severity }) => severity)).toEqual(['error', 'warning']);
  });

  test('lets warnings pass', () => {
    const list = new ProblemList();
    list.add({ code: 'IMAGE_FLOATING', severity: 'warning', ...problem });
    expect(() => list.throwIfAny()).not.toThrow();
  });

  test('says each in a line, with its place', () => {
    const line = problemLine({
      code: 'COUNT_INVALID',
      severity: 'error',
      ...problem,
      place: { file: 'pool.yaml', line: 3, column: 8 },
    });
    expect(line).toBe('COUNT_INVALID count (pool.yaml:3:8): found 0; allowed: 1 or more; fix: write 4');
  });
});

test.each<[ProblemCode, number]>([
  ['COUNT_INVALID', EXIT.invalid],
  ['NO_POOL', EXIT.invalid],
  ['CONFIG_NOT_READABLE', EXIT.noAccess],
  ['GIT_FAILED', EXIT.noAccess],
  ['CLUSTER_FORBIDDEN', EXIT.noAccess],
  ['POOL_IN_USE', EXIT.inUse],
])('%s ends the program with %i', (code, exit) => expect(exitCodeFor(inputError({ code, ...problem }))).toBe(exit));
