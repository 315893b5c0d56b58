import { expect, test } from 'vitest';
import { styleFor } from './style.js';

const output = (isTTY?: boolean) => ({ write: () => true, isTTY });

test.each([
  ['a terminal', true, {}, true],
  ['a terminal under an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['a terminal under NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['a terminal whatever TERM says', true, { TERM: 'dumb' }, true],
  ['a pipe', false, {}, false],
  ['a pipe under FORCE_COLOR', undefined, { FORCE_COLOR: '1' }, false],
])('%s', (_, isTTY, env, coloured) => {
  expect(styleFor(output(isTTY), env).green('OK')).toBe(coloured ? '\u001b[32mOK\u001b[39m' : 'OK');
});

test('nothing stays nothing', () => {
  expect(styleFor(output(true), {}).bold('')).toBe('');
});
