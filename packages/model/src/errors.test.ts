import { describe, expect, test } from 'vitest';
import { errorCodeOf, isRungarError, messageOf, RungarError } from './errors.js';

describe('isRungarError', () => {
  test('knows an error made by another copy of this package', () => {
    const foreign = Object.assign(new Error('full'), { name: 'RungarError', code: 'no_capacity' });
    expect(isRungarError(foreign)).toBe(true);
    expect(isRungarError(foreign, 'no_capacity')).toBe(true);
    expect(isRungarError(foreign, 'busy')).toBe(false);
  });

  test.each([
    ['a system error', Object.assign(new Error('gone'), { code: 'ENOENT' })],
    ['an error without a code', new Error('gone')],
    ['a plain object', { code: 'busy' }],
    ['nothing', undefined],
  ])('says no to %s', (_name, value) => expect(isRungarError(value)).toBe(false));
});

describe('errorCodeOf', () => {
  test('keeps the class of what an error wraps', () => {
    const full = new RungarError('no_capacity', 'no room');
    const wrapped = new Error('leftover could not be deleted', { cause: new Error('again', { cause: full }) });
    expect(errorCodeOf(wrapped)).toBe('no_capacity');
  });

  test('prefers the class of a cause over internal, which says nothing', () => {
    expect(errorCodeOf(new RungarError('internal', 'x', { cause: new RungarError('busy', 'y') }))).toBe('busy');
  });

  test('ends on causes that go round in a circle', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(errorCodeOf(one)).toBe('internal');
  });
});

test('messageOf gives one line of whatever was thrown', () => {
  expect(messageOf(new Error('first\n  second\r\nthird '))).toBe('first second third');
  expect(messageOf('text')).toBe('text');
  expect(messageOf(new TypeError())).toBe('TypeError');
});
