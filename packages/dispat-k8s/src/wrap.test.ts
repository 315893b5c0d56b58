import { expect, test } from 'vitest';
import { wrap, wrapLine } from './wrap.js';

test.each([
  ['a line that fits', 'one two', 7, ['one two']],
  ['a line of one character too many', 'one two', 6, ['one', 'two']],
  ['a word longer than a line', 'a sixteen-letters b', 5, ['a', 'sixteen-letters', 'b']],
  ['line breaks as blanks', 'one\ntwo', 10, ['one two']],
  ['blanks that align columns', 'w-0  pending', 20, ['w-0  pending']],
  ['nothing', '', 5, ['']],
])('breaks %s', (_, text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test('moves in what follows the first line, and keeps how that one begins', () => {
  expect(wrapLine('  w-0 is pending', 4, 10)).toBe('  w-0 is\n    pending');
});
