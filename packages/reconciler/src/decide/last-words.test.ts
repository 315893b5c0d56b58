import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastWords } from './last-words.js';

test('of a long console the last twenty lines are shown, the oldest first', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
  expect(lastWords(lines)?.split('\n')).toEqual(lines.slice(10));
});

test('of long lines as many are shown as 4,096 characters hold', () => {
  const line = 'word '.repeat(199).concat('end.'); // 999 characters and a line feed
  expect(lastWords(Array.from({ length: 10 }, () => line))?.split('\n')).toHaveLength(4);
});

test('of one line that is too long the end is shown, from a whole word on', () => {
  const words = lastWords([`beginning ${'word '.repeat(1_000)}end`]) ?? '';
  expect(words.length).toBeLessThanOrEqual(4_096);
  expect(words).toMatch(/^… word( word)* end$/);
});

describe('nothing', () => {
  test.each([[[]], [['']], [['  ', '\u001b[0m', '\t']]])('is what %j comes to', (lines) => {
    expect(lastWords(lines)).toBeUndefined();
  });
});

test.each([
  ['\u001b[31mKernel panic\u001b[0m\u001b[K', 'Kernel panic'],
  ['\u001b]0;title\u0007login:', 'login:'],
  ['50 %\r100 %\u0007', '50 %100 %'],
  ['tab\tstays', 'tab\tstays'],
])('%j is shown as %j', (line, shown) => {
  expect(lastWords([line])).toBe(shown);
});

test('a registration is not shown, nor the pieces of one that was broken at the width of a console', () => {
  const registration = Buffer.from('{"token":"a-registration-good-once"}'.repeat(60)).toString('base64');
  const lines = [
    `+ export ACTIONS_RUNNER_INPUT_JITCONFIG=${registration}`,
    ...(registration.match(/.{1,80}/g) ?? []).slice(0, 5),
    'cd /home/runner: No such file or directory',
  ];
  expect(lastWords(lines)?.split('\n')).toEqual([
    '+ export …',
    ...Array.from({ length: 5 }, () => '…'),
    'cd /home/runner: No such file or directory',
  ]);
});

test('whatever a machine writes, what is shown is short and has no control characters', () => {
  // Long lines repeat a short text: making up each of their characters would take longer than a test may.
  const line = fc
    .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 200 }))
    .map(([text, times]) => text.repeat(times));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const words = lastWords(lines) ?? '';
      expect(words.length).toBeLessThanOrEqual(4_096);
      expect(words.split('\n').length).toBeLessThanOrEqual(20);
      expect([...words].filter((one) => one < ' ' && one !== '\n' && one !== '\t')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
