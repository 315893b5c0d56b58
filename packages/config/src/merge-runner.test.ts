import type { Located } from '@rungar/model';
import { located, type Written } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { mergeRunner } from './merge-runner.js';

function bare(value: Located | undefined): unknown {
  if (value === undefined) return 'nothing';
  if (value.kind === 'scalar') return value.isNull ? null : value.source;
  if (value.kind === 'list') return value.items.map(bare);
  return Object.fromEntries(value.entries.map((entry) => [entry.key, bare(entry.value)]));
}

const BASE = { a: '1', list: ['x', 'y'], map: { p: '1', q: '2', deep: { r: '3' } } };

test.each<[string, Written | undefined, Written | undefined, unknown]>([
  ['nothing over a block leaves it', BASE, undefined, BASE],
  ['an empty mapping over a block leaves it', BASE, {}, BASE],
  ['a block over nothing is itself', undefined, BASE, BASE],
  ['a block over an empty mapping is itself', {}, BASE, BASE],
  ['nothing over nothing is nothing', undefined, undefined, 'nothing'],
  ['an empty mapping over nothing is nothing', undefined, {}, 'nothing'],
  ['a single value is replaced', BASE, { a: '2' }, { ...BASE, a: '2' }],
  ['a list is replaced whole', BASE, { list: ['z'] }, { ...BASE, list: ['z'] }],
  ['an empty list replaces', BASE, { list: [] }, { ...BASE, list: [] }],
  ['a list is replaced by a single value', BASE, { list: 'z' }, { ...BASE, list: 'z' }],
  [
    'mappings merge key by key',
    BASE,
    { map: { q: '9', s: '4' } },
    { ...BASE, map: { p: '1', q: '9', deep: { r: '3' }, s: '4' } },
  ],
  [
    'mappings merge at every depth',
    BASE,
    { map: { deep: { t: '5' } } },
    { ...BASE, map: { ...BASE.map, deep: { r: '3', t: '5' } } },
  ],
  ['an empty mapping over a mapping changes nothing', BASE, { map: {} }, BASE],
  ['an empty mapping over a single value replaces it', BASE, { a: {} }, { ...BASE, a: {} }],
  ['a mapping over a single value replaces it', BASE, { a: { b: '1' } }, { ...BASE, a: { b: '1' } }],
  ['a single value over a mapping replaces it', BASE, { map: '1' }, { ...BASE, map: '1' }],
  ['null for a key clears it', BASE, { a: null }, { ...BASE, a: null }],
  ['null for a mapping clears it', BASE, { map: null }, { ...BASE, map: null }],
  ['null within a mapping stays within it', BASE, { map: { p: null } }, { ...BASE, map: { ...BASE.map, p: null } }],
  ['a new key is added', BASE, { b: '2' }, { ...BASE, b: '2' }],
  ['null clears the whole block', BASE, null, null],
  ['a block over null is itself', null, BASE, BASE],
])('%s', (_, base, over, want) => {
  const below = base === undefined ? undefined : located(base);
  const before = structuredClone(below);
  expect(bare(mergeRunner(below, over === undefined ? undefined : located(over)))).toEqual(want);
  expect(below).toEqual(before);
});

test('each value keeps the place where it was written', () => {
  const base = located({ a: '1', map: { p: '1' } });
  const over = located({ a: '2', map: { q: '2' } });
  const merged = mergeRunner(base, over);
  const places = (value: Located | undefined): number[] =>
    value?.kind === 'map' ? value.entries.flatMap((entry) => [entry.value.place.line, ...places(entry.value)]) : [];
  // Lines of `base`: 1 itself, 2 a, 3 map, 4 p; of `over`: 1 itself, 2 a, 3 map, 4 q.
  expect(places(merged)).toEqual([2, 3, 4, 4]);
});
