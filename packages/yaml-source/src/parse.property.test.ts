import type { Located, Place } from '@rungar/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from './parse.js';

const FRAGMENTS = [
  'a',
  'b: ',
  '- ',
  '? ',
  ': ',
  '[',
  ']',
  '{',
  '}',
  ', ',
  '\n',
  '  ',
  '\t',
  '"',
  "'",
  '|',
  '>',
  '#',
  '---',
  '...',
  '&a ',
  '*a',
  '<<: ',
  '!x ',
  '%Y ',
  '~',
  '\r',
  '\u00e9',
  '\ud83d\ude00',
];

const yamlish = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 }).map((parts) => parts.join(''));

function* placesOf(value: Located): Generator<Place> {
  yield value.place;
  if (value.kind === 'list') for (const item of value.items) yield* placesOf(item);
  if (value.kind === 'map') {
    for (const entry of value.entries) {
      yield entry.keyPlace;
      yield* placesOf(entry.value);
    }
  }
}

test('any text gives values and problems whose places lie in it', () => {
  fc.assert(
    fc.property(fc.oneof(yamlish, fc.string({ unit: 'binary' }), fc.string()), (text) => {
      const { root, problems } = parse(text, { file: 'f' });
      const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
      for (const place of [...placesOf(root), ...problems.map((problem) => problem.place)]) {
        const line = lines[place.line - 1];
        expect(line).toBeDefined();
        expect(place.column).toBeGreaterThanOrEqual(1);
        expect(place.column).toBeLessThanOrEqual((line ?? '').length + 2);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('plain data written as JSON comes back as it was', () => {
  const bare = (value: Located): unknown => {
    if (value.kind === 'scalar') return value.isNull ? null : value.source;
    if (value.kind === 'list') return value.items.map(bare);
    return value.entries.map((entry) => [entry.key, bare(entry.value)]);
  };
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('map'),
    ),
    map: fc
      .uniqueArray(fc.tuple(fc.string(), tie('value')), { selector: ([key]) => key, maxLength: 4 })
      .map((entries) => new Map(entries as [string, unknown][])),
  }));
  const toJson = (value: unknown): string => {
    if (value instanceof Map)
      return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}: ${toJson(item)}`).join(', ')}}`;
    return Array.isArray(value) ? `[${value.map(toJson).join(', ')}]` : JSON.stringify(value);
  };
  const plain = (value: unknown): unknown => {
    if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
    return Array.isArray(value) ? value.map(plain) : value;
  };
  fc.assert(
    fc.property(data.value, (value) => {
      const { root, problems } = parse(toJson(value), { file: 'f' });
      expect(problems).toEqual([]);
      expect(bare(root)).toEqual(plain(value));
    }),
  );
});
