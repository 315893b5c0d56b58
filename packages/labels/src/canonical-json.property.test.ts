import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyLabels, anyText, anyUnits } from '../test/hostile.js';
import { canonicalJson, labelsJson } from './canonical-json.js';

/** Written straight from the rule: the built-in encoder, then five characters replaced in the whole text. */
function byTheRule(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

const numbers = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyText,
    numbers,
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('record'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  record: fc.dictionary(anyText, tie('value'), { maxKeys: 5 }),
}));

test('a value of records and lists is written as the built-in encoder does, but for five characters', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(canonicalJson(value)).toBe(byTheRule(value));
    }),
    { numRuns: 500 },
  );
});

test('what is written reads back as it was, and holds none of the five characters', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/[<>&\u2028\u2029\n]/);
    }),
  );
});

test('a map is written the same whatever its order, and its keys stand in byte order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyText, { maxLength: 8 }), (keys) => {
      const text = canonicalJson(new Map(keys.map((key) => [key, key])));
      expect(canonicalJson(new Map(keys.toReversed().map((key) => [key, key])))).toBe(text);
      const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(text).toBe(`{${byBytes.map((key) => `${byTheRule(key)}:${byTheRule(key)}`).join()}}`);
    }),
  );
});

test('any text at all becomes valid JSON in valid UTF-8', () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      const json = canonicalJson(text);
      expect(Buffer.from(json).toString()).toBe(json);
      expect(JSON.parse(json)).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
    }),
  );
});

test('labels are written as a map of them is', () => {
  fc.assert(
    fc.property(anyLabels, (labels) => {
      expect(labelsJson(labels)).toBe(canonicalJson(new Map(Object.entries(labels))));
    }),
  );
});
