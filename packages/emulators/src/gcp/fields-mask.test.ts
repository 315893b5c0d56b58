import { describe, expect, test } from 'vitest';
import { GceRefusal } from './errors.js';
import { selectFields } from './fields-mask.js';
import { AGGREGATED_INSTANCES, INSTANCE, listOf } from './shapes.js';

const one = { id: '1', name: 'a', labels: { team: 'ci' }, metadata: { items: [{ key: 'k', value: 'v' }], kind: 'm' } };
const page = { kind: 'list', items: [one], nextPageToken: 'next' };
const cut = (fields: string): unknown => selectFields(page, fields, listOf(INSTANCE));

describe('the fields of an answer', () => {
  test.each<[string, unknown]>([
    ['kind', { kind: 'list' }],
    ['kind,nextPageToken', { kind: 'list', nextPageToken: 'next' }],
    ['items/name', { items: [{ name: 'a' }] }],
    ['items(id,name)', { items: [{ id: '1', name: 'a' }] }],
    [
      'items(id,metadata/items),kind',
      { kind: 'list', items: [{ id: '1', metadata: { items: [{ key: 'k', value: 'v' }] } }] },
    ],
    ['items/metadata/items/key', { items: [{ metadata: { items: [{ key: 'k' }] } }] }],
    ['items/id,items/name', { items: [{ id: '1', name: 'a' }] }],
    ['items/labels/team', { items: [{ labels: { team: 'ci' } }] }],
    ['items/status', { items: [{}] }],
    ['*', page],
  ])('selected by %s', (fields, want) => expect(cut(fields)).toEqual(want));

  test('of a map of zones are selected with a star', () => {
    const answer = { items: { 'zones/a': { instances: [one] }, 'zones/b': { warning: { code: 'X' } } } };
    expect(selectFields(answer, 'items/*/instances(id)', AGGREGATED_INSTANCES)).toEqual({
      items: { 'zones/a': { instances: [{ id: '1' }] }, 'zones/b': {} },
    });
  });

  test.each(['item', 'items/nam', 'items(', 'items(id', 'items(id))', ',', 'kind,', 'a b', '', 'kind/x'])(
    'cannot be %s',
    (fields) => expect(() => cut(fields)).toThrow(GceRefusal),
  );
});
