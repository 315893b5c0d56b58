import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { writeYaml } from './write.js';

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'yYnNoO01e_:.~-+x \n\t#"\'{}[]<=&*!|>%@`') }),
  fc.constantFrom(
    'yes',
    'No',
    'ON',
    'off',
    'y',
    'n',
    'null',
    '~',
    'true',
    '1e3',
    'E0',
    'e+7',
    '0x10',
    '0o17',
    '017',
    '1_000',
    '22:30',
    '.inf',
    '2026-01-01',
    '=',
    '<<',
    '24Gi',
    'a: b',
    'a #b',
    'a:',
    '- a',
    '---',
    '...',
  ),
);

const trees = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).map;

/** Keys that a plain JavaScript object treats in a way of its own. */
const withoutProto = trees.filter((tree) => !JSON.stringify(tree).includes('__proto__'));

test.each(['1.1', '1.2'] as const)('whatever is written reads back the same in YAML %s', (version) => {
  fc.assert(
    fc.property(withoutProto, (tree) => {
      const wanted = JSON.parse(JSON.stringify(tree));
      expect(parse(writeYaml(wanted), { version, logLevel: 'error' })).toStrictEqual(wanted);
    }),
    { numRuns: 2_000 },
  );
});

test('the same data give the same bytes', () => {
  fc.assert(
    fc.property(withoutProto, (tree) => {
      const value = JSON.parse(JSON.stringify(tree));
      expect(writeYaml(structuredClone(value))).toBe(writeYaml(value));
    }),
  );
});
