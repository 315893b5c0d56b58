import { isRungarError } from '@rungar/model';
import { expect } from 'vitest';

/** Expects `make` to refuse its argument in the way callers recognise, with a message that has every one of `words`. */
export function expectInvalid(make: () => unknown, ...words: string[]): void {
  let thrown: unknown;
  try {
    make();
  } catch (error) {
    thrown = error;
  }
  expect(isRungarError(thrown, 'invalid_argument'), `recognised as invalid_argument: ${thrown}`).toBe(true);
  for (const word of words) expect((thrown as Error).message).toContain(word);
}

/** Values a caller without types, or a backend, might hand in where text is expected. */
export const NOT_TEXT: readonly unknown[] = [undefined, null, 0, 1n, true, {}, [], ['a'], () => 'a', Symbol('a')];
