import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { anyLabels } from '../test/hostile.js';
import { parseDicerLabels, toDicerLabels } from './dicer-labels.js';
import { runnerLabels } from './keys.js';

const labels = runnerLabels({ installation: 'home', scaleSet: 'Größe <8>', runner: 'linux-0badf00d', revision: '' });

describe('toDicerLabels', () => {
  test('keeps the labels as they are, in an object of its own', () => {
    expect(toDicerLabels(labels)).toStrictEqual({ ...labels });
    expect(toDicerLabels(labels)).not.toBe(labels);
  });

  test('refuses a value that is not text, naming its key', () => {
    for (const value of NOT_TEXT) expectInvalid(() => toDicerLabels({ team: value as string }), 'team');
  });
});

describe('parseDicerLabels', () => {
  test('passes over what is not text', () => {
    expect(parseDicerLabels({ a: 'b', c: 7 } as unknown as Record<string, string>)).toStrictEqual({ a: 'b' });
  });

  test('finds no label where there is no map', () => {
    for (const value of NOT_TEXT) expect(parseDicerLabels(value as undefined)).toStrictEqual({});
  });
});

test('labels come back as they were', () => {
  fc.assert(
    fc.property(anyLabels, (any) => {
      expect(parseDicerLabels(toDicerLabels(any))).toStrictEqual(any);
    }),
  );
});
