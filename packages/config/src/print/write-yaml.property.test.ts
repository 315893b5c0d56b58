import type { Located } from '@rungar/model';
import { parse } from '@rungar/yaml-source';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeYaml } from './write-yaml.js';
import { bare, type YamlMap, type YamlNode } from './yaml-node.js';

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'yYnNoO01e_:.~-+x \n\t#"\'{}[]<=&*!|>%@`\r\u0085\u2028\ufeff\u200d\u{e0001}') }),
  fc.constantFrom('yes', 'E0', '~', '<<', '22:00', '30s', '1.5GiB', '---', '...', 'a: b', 'a #b', 'a:', '- a', '? a'),
  fc.constantFrom(
    '#!/bin/sh\nexec run\n',
    'a\n\n b\n',
    'a\n b',
    'a\n\n',
    ' a\nb\n',
    'a\n \n',
    'a\n\tb\n',
    'x'.repeat(1_200),
  ),
);

const trees: fc.Arbitrary<YamlNode> = fc.letrec<{ node: YamlNode; list: YamlNode; map: YamlMap }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    texts.map((text): YamlNode => ({ kind: 'text', text })),
    fc.constantFrom('null', '12', '-1.5', 'true', '0x10', '22:00', '1e+21').map(bare),
    tie('list'),
    tie('map'),
  ),
  list: fc.record({
    kind: fc.constant('list' as const),
    items: fc.array(tie('node'), { maxLength: 4 }),
    onOneLine: fc.boolean(),
  }),
  map: fc.record({
    kind: fc.constant('map' as const),
    entries: fc.uniqueArray(fc.tuple(texts, tie('node')), { maxLength: 4, selector: ([key]) => key }),
  }),
})).map;

/** What a tree says, in plain data. */
function meaningOf(node: YamlNode): unknown {
  if (node.kind === 'list') return node.items.map(meaningOf);
  if (node.kind === 'map') return new Map(node.entries.map(([key, value]) => [key, meaningOf(value)]));
  return node.kind === 'text' ? { text: node.text } : { bare: node.source };
}

/** What was read, in the same data: a text may stand without quotes where nobody takes it for anything else. */
function readingOf(located: Located, wanted: unknown): unknown {
  if (located.kind === 'list') {
    const items = Array.isArray(wanted) ? wanted : [];
    return located.items.map((item, index) => readingOf(item, items[index]));
  }
  if (located.kind === 'map') {
    const members = wanted instanceof Map ? wanted : new Map<string, unknown>();
    return new Map(located.entries.map(({ key, value }) => [key, readingOf(value, members.get(key))]));
  }
  const isText = typeof wanted === 'object' && wanted !== null && 'text' in wanted;
  if (isText) return { text: located.isNull ? null : located.source };
  return located.quoted ? { quoted: located.source } : { bare: located.source };
}

test('whatever is written reads back as the same', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const source = parse(writeYaml(tree as YamlMap), { file: 'f.yaml' });
      expect(source.problems).toEqual([]);
      const wanted = meaningOf(tree);
      expect(readingOf(source.root, wanted)).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});
