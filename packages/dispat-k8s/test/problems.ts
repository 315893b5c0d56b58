import { readPoolOptions } from '../src/options/read-options.js';
import type { PoolInput } from '../src/options/table.js';
import { type InputProblem, isInputError } from '../src/problems.js';

/** The errors that options have; warnings and notes are left out. */
export function problemsOf(input: PoolInput | Readonly<Record<string, unknown>>): InputProblem[] {
  return allProblemsOf({ flags: input }).filter(({ severity }) => severity === 'error');
}

/** What is merely said of options that are fine. */
export function noticesOf(input: PoolInput): readonly InputProblem[] {
  return readPoolOptions({ flags: input }).notices;
}

/** Everything said of options, whether they are fine or not. */
export function allProblemsOf(source: Parameters<typeof readPoolOptions>[0]): readonly InputProblem[] {
  try {
    return readPoolOptions(source).notices;
  } catch (error) {
    if (isInputError(error)) return error.problems;
    throw error;
  }
}
