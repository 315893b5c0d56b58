import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { anyText } from '../test/hostile.js';
import { awsTagFilters, parseAwsTags, toAwsTags } from './aws-tags.js';
import { runnerLabels } from './keys.js';
import { scaleSetSelector } from './selector.js';

const labels = runnerLabels({
  installation: 'gh-4e3651f01be5',
  scaleSet: 'rungar-c4-m8',
  runner: 'rungar-c4-m8-1ff1015a',
  revision: 'dae34f7f0a68',
});

const tags = [
  { Key: 'rungar.sh/installation', Value: 'gh-4e3651f01be5' },
  { Key: 'rungar.sh/managed', Value: 'true' },
  { Key: 'rungar.sh/revision', Value: 'dae34f7f0a68' },
  { Key: 'rungar.sh/runner', Value: 'rungar-c4-m8-1ff1015a' },
  { Key: 'rungar.sh/scale-set', Value: 'rungar-c4-m8' },
];

describe('toAwsTags', () => {
  test('keeps the labels as they are, by key', () => {
    expect(toAwsTags(labels)).toStrictEqual(tags);
  });

  test('takes the longest key and value that EC2 keeps, counted in characters', () => {
    expect(toAwsTags({ ['é'.repeat(128)]: '😀'.repeat(256) })).toHaveLength(1);
  });

  test('refuses what EC2 would not keep whole', () => {
    expectInvalid(() => toAwsTags({ a: 'x'.repeat(257) }), '"a"', '256 characters');
    expectInvalid(() => toAwsTags({ ['x'.repeat(129)]: '' }), '128 characters');
    expectInvalid(() => toAwsTags({ '': 'x' }), '1 to 128 characters');
  });

  test('refuses a value that is not text, naming its key', () => {
    for (const value of NOT_TEXT) expectInvalid(() => toAwsTags({ team: value as string }), 'team');
  });
});

describe('parseAwsTags', () => {
  test('reads the labels among the tags, whatever their order', () => {
    const listed = [
      { Key: 'Name', Value: 'rungar-c4-m8-1ff1015a' },
      ...tags.toReversed(),
      { Key: 'team', Value: 'ci' },
    ];
    expect(parseAwsTags(listed)).toStrictEqual({ ...labels });
  });

  test('tells keys apart by case', () => {
    expect(parseAwsTags([{ Key: 'Rungar.sh/managed', Value: 'true' }])).toStrictEqual({});
  });

  test('takes a tag without a value for an empty one', () => {
    expect(parseAwsTags([{ Key: 'rungar.sh/revision' }])).toStrictEqual({ 'rungar.sh/revision': '' });
  });

  test('finds no label where there is no tag', () => {
    const foreign: unknown[] = [undefined, null, 'tags', 7, {}, [], [null], [7], [[]], [{}], [{ Key: 7, Value: 'a' }]];
    for (const answer of foreign) expect(parseAwsTags(answer as undefined)).toStrictEqual({});
    expect(parseAwsTags([{ Key: 'rungar.sh/runner', Value: 7 as unknown as string }])).toStrictEqual({});
  });
});

describe('awsTagFilters', () => {
  test('are one for each label, by key', () => {
    expect(awsTagFilters(scaleSetSelector('gh-4e3651f01be5', 'rungar-c4-m8'))).toStrictEqual([
      { Name: 'tag:rungar.sh/installation', Values: ['gh-4e3651f01be5'] },
      { Name: 'tag:rungar.sh/managed', Values: ['true'] },
      { Name: 'tag:rungar.sh/scale-set', Values: ['rungar-c4-m8'] },
    ]);
  });

  test('escape what EC2 takes for a wildcard', () => {
    expect(awsTagFilters({ a: '*x?\\' })).toStrictEqual([{ Name: 'tag:a', Values: ['\\*x\\?\\\\'] }]);
  });
});

test('labels come back from tags as they were', () => {
  const own = fc
    .dictionary(anyText, anyText, { maxKeys: 6 })
    .map((map) => Object.fromEntries(Object.entries(map).map(([key, value]) => [`rungar.sh/${key}`, value])));
  fc.assert(
    fc.property(own, (map) => {
      expect(parseAwsTags(toAwsTags(map))).toStrictEqual(map);
    }),
  );
});
