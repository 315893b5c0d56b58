import { type Fields, field, type ProviderType } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { describe, expect, test } from 'vitest';
import { additionsIn } from './additions.js';
import * as tables from './fields.js';
import { parseConfig } from './parse.js';

const extra = { describe: 'an addition', addition: true } as const;

/** A type with an addition at every depth. */
const tinType: ProviderType = {
  type: 'tin',
  secretKeys: [],
  fields: {
    entry: {
      address: field.text({ describe: 'where it is' }),
      finger: field.text(extra),
      tls: field.mapping({ finger: field.text(extra) }, { describe: 'how it is secured' }),
    },
    runner: {
      image: field.text({ describe: 'the image' }),
      bonus: field.text(extra),
      disks: field.list(field.mapping({ bonus: field.text(extra) }, { describe: 'a disk' }), { describe: 'disks' }),
    },
  },
  configure: () => undefined,
};

const found = (text: string): string[] =>
  additionsIn(parseConfig(text, { file: 'c.yaml', types: [tinType] }).root, [tinType]).map(
    ({ place, path, severity }) => `${place.line}:${place.column} ${severity} ${path}`,
  );

test('a file without additions has none', () => {
  expect(found('providers: [{name: p, type: tin, address: a, tls: {}, runner: {image: i}}]')).toEqual([]);
});

test('additions are found at every depth, with a null too, and once each', () => {
  expect(
    found(`providers:
  - &p
    name: p
    type: tin
    finger: ab
    tls: {finger: null}
    runner: {bonus: x, disks: [{}, {bonus: y}]}
  - {<<: *p, name: q}
scale_sets:
  - name: s
    providers: [q, {name: p, runner: {image: i, bonus: z}}]
`),
  ).toEqual([
    '5:5 error providers[0].finger',
    '6:11 error providers[0].tls.finger',
    '7:14 error providers[0].runner.bonus',
    '7:37 error providers[0].runner.disks[1].bonus',
    '11:49 error scale_sets[0].providers[1].runner.bonus',
  ]);
});

test('a file that is not understood has none', () => {
  for (const text of ['', '[]', 'providers: 7', 'providers: [7, {runner: x}]', 'scale_sets: [{providers: [[]]}]', '{'])
    expect(found(text)).toEqual([]);
});

describe('every addition is marked as one', () => {
  const all = [
    ...Object.entries(tables),
    ...providerTypes.flatMap(({ type, fields }) => [
      [`the entry of ${type}`, fields?.entry] as const,
      [`the runner block of ${type}`, fields?.runner] as const,
    ]),
  ];

  test.each(all)('in %s', (_, fields) => {
    expect(fields).toBeDefined();
    expect(Object.keys(wronglyMarked(fields ?? {}))).toEqual([]);
  });
});

/** Keys whose description says one thing, and whose mark another. */
function wronglyMarked(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, each]) => /addition of Rungar/.test(each.description) !== each.addition),
  );
}
