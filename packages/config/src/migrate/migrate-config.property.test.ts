import type { Located } from '@rungar/model';
import { parse } from '@rungar/yaml-source';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import { migrateConfig } from './migrate-config.js';

const options = { file: 'f.yaml', types: [boxType] };

const LINES = [
  'github:',
  '  url: https://github.com/acme',
  '  token: "t # no comment"',
  'providers:',
  '  - &p {name: p, type: box, address: a, runner: {image: i, env: {A: "1", B: null}}}',
  '  - <<: *p',
  "    name: 'q'",
  '    address: b',
  'scale_sets:',
  '  - name: s',
  '    max_runners: 3',
  '    providers: [p, {name: q, runner: {cpus: 2}}]',
];

/** What may stand between two lines of a file without a say in what it means. */
const between = fc.constantFrom('', '', '', '# said', '  # said', '\t', '   ', '#', '# a: b');
const starts = fc.constantFrom(
  '',
  '---',
  '# all\n---',
  '%YAML 1.2\n---',
  '# one\n\n# two',
  '\ufeff# marked',
  '&all',
  '!!map',
  'version:',
  'version: ~ # x',
);
const ends = fc.constantFrom('\n', '\r\n', '\r');

const files = fc
  .record({
    start: starts,
    filling: fc.array(fc.tuple(between, between), { maxLength: LINES.length }),
    end: ends,
    last: fc.boolean(),
  })
  .map(({ start, filling, end, last }) => {
    const lines = LINES.flatMap((line, index) => {
      const [above = '', after = ''] = filling[index] ?? [];
      return [...(above === '' ? [] : [above]), line, ...(after === '' ? [] : [after])];
    });
    const text = [...(start === '' ? [] : [start]), ...lines].join('\n');
    return `${text}${last ? '\n' : ''}`.replaceAll('\n', end);
  });

/** What a file says, apart from its version and from where everything stands. */
function meaningOf(node: Located, isTop = true): unknown {
  if (node.kind === 'scalar') return [node.source, node.quoted, node.isNull];
  if (node.kind === 'list') return node.items.map((item) => meaningOf(item, false));
  const entries = node.entries.filter(({ key }) => !(isTop && key === 'version'));
  return entries.map(({ key, value }) => [key, meaningOf(value, false)]);
}

function commentsOf(text: string): string[] {
  return (text.match(/# (?:said|all|one|two|marked|a: b|x)/g) ?? []).sort();
}

test('a migrated file says what it said, with a version, its comments and its line ends', () => {
  fc.assert(
    fc.property(files, (text) => {
      const migrated = migrateConfig(text, options);
      if (!('text' in migrated)) {
        expect(migrated.refused).toBe('file');
        return;
      }
      const [before, after] = [text, migrated.text].map((each) => parse(each, options).root);
      expect(after && meaningOf(after)).toEqual(before && meaningOf(before));
      expect(commentsOf(migrated.text)).toEqual(commentsOf(text));
      expect(/^\ufeff?version:\s+1\b/m.test(migrated.text)).toBe(true);
      expect(migrated.text.includes('\r\n')).toBe(text.includes('\r\n'));
      expect(migrateConfig(migrated.text, options)).toEqual({ text: migrated.text, version: 1, changes: [] });
    }),
    { numRuns: 100 },
  );
});

test('most of them are migrated', () => {
  const sample = fc.sample(files, { numRuns: 100, seed: 1 });
  const migrated = sample.filter((text) => 'text' in migrateConfig(text, options));
  expect(migrated.length).toBeGreaterThan(60);
});
