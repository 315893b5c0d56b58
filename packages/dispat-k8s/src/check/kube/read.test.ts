import { execFileSync, spawnSync } from 'node:child_process';
import type { Located } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { documentedPoolText } from '../../../test/documented.js';
import { ProblemList } from '../../problems.js';
import { readResources } from './read.js';
import { isDialectDependent, readPlain, readScalar } from './scalars.js';

function read(text: string) {
  const problems = new ProblemList();
  return { resources: readResources({ name: 'f.yaml', text }, problems), problems: problems.all };
}

describe('a scalar', () => {
  test.each<[string, unknown]>([
    ['0400', 256],
    ['0o400', 256],
    ['400', 400],
    ['256', 256],
    ['-0400', -256],
    ['0x10', 16],
    ['0b101', 5],
    ['1_000', 1000],
    ['1e3', 1000],
    ['089', 89],
    ['.5', 0.5],
    ['yes', true],
    ['on', true],
    ['y', true],
    ['Off', false],
    ['N', false],
    ['22:30', '22:30'],
    ['2026-01-02', '2026-01-02'],
    ['yEs', 'yEs'],
    ['7Gi', '7Gi'],
    ['-', '-'],
    ['~', null],
    ['', null],
  ])('%s is %j to kubectl', (source, want) => expect(readPlain(source)).toBe(want));

  test.each(['yes', 'on', 'y', '1e3', '0x10', '1_000', '22:30', '190:20:30', 'null', '0o7'])(
    '%s means different things to different readers',
    (source) => expect(isDialectDependent(source)).toBe(true),
  );

  test.each(['w-0', '1.2.3', 'amd64', '24Gi', '2026-01-02', 'a:1', '1:99'])('%s means itself', (source) =>
    expect(isDialectDependent(source)).toBe(false),
  );
});

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

/** What kubectl itself makes of objects, without a cluster. */
function readByKubectl(text: string): Record<string, unknown> {
  const args = ['label', '--local', '--dry-run=client', '-o', 'json', '-f', '-', 'read-by=kubectl'];
  return JSON.parse(execFileSync('kubectl', args, { input: text, encoding: 'utf8' }));
}

function plain(located: Located): unknown {
  if (located.kind === 'list') return located.items.map(plain);
  if (located.kind === 'map') return Object.fromEntries(located.entries.map(({ key, value }) => [key, plain(value)]));
  return readScalar(located);
}

describe.skipIf(!hasKubectl)('kubectl, which this machine needs to have for these', () => {
  const SCALARS = [
    ...['0400', '0o400', '400', '0x10', '0b101', '1_000', '1e3', '089', '.5', '-0400', '+7', '1.0', '1e', '0o9', '00'],
    ...['yes', 'Yes', 'yEs', 'on', 'y', 'Y', 'Off', 'N', 'no', 'true', 'False', 'null', 'Null', '~', '='],
    ...['22:30', '190:20:30', '2026-01-02', '2026-01-02T03:04:05Z', '7Gi', '1.2.3', '0777777777'],
    ...[
      '"0400"',
      "'yes'",
      '!!str yes',
      '99999999999',
      '0xg',
      '1__0',
      '_1',
      '1_',
      '-.5',
      '5.',
      '.',
      '1:30',
      '+.5e3',
      '0b2',
      '-0x1F',
      '12e03',
      '.inf5',
    ],
  ];

  test('reads every scalar as the check does', () => {
    const fields = SCALARS.map((text, at) => `  s${at}: ${text}\n`);
    const text = `apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\nspec:\n${fields.join('')}`;
    const { resources, problems } = read(text);
    expect(problems).toEqual([]);
    const located = resources[0]?.root.at('spec').located;
    expect(located && plain(located)).toEqual(readByKubectl(text).spec);
  });

  test('reads the documented pool as the check does', () => {
    const located = read(documentedPoolText).resources[0]?.root.at('spec').located;
    expect(located && plain(located)).toEqual(readByKubectl(documentedPoolText).spec);
  });
});

describe('an input', () => {
  test('is a stream, its lists taken apart and its empty documents left out', () => {
    const { resources, problems } = read(
      'apiVersion: v1\nkind: List\nitems:\n- {kind: A, apiVersion: x/v1, metadata: {name: a, namespace: n}}\n' +
        '---\n---\nkind: B\nmetadata: {name: b}\n',
    );
    expect(problems).toEqual([]);
    expect(resources).toMatchObject([
      { apiVersion: 'x/v1', group: 'x', kind: 'A', name: 'a', namespace: 'n' },
      { apiVersion: '', group: '', kind: 'B', name: 'b', namespace: undefined },
    ]);
    expect(resources[0]?.root.at('metadata', 'name').pointer).toBe('/metadata/name');
    expect(resources[0]?.root.at('metadata', 'name').place).toMatchObject({ line: 4, column: 48 });
  });

  test('may be JSON', () => {
    expect(read('{\n\t"kind": "A",\n\t"spec": {"n": 1, "s": "0400"}\n}').resources[0]?.root.at('spec', 's').text).toBe(
      '0400',
    );
  });

  test('of a key set twice is refused with the key', () => {
    expect(read('kind: A\nspec:\n  a: 1\n  a: 2\n')).toMatchObject({
      resources: [],
      problems: [{ code: 'YAML_DUPLICATE_KEY', at: 'spec.a', place: { file: 'f.yaml', line: 4, column: 3 } }],
    });
  });

  test.each(['- a\n', 'text\n'])('that is no object is refused: %j', (text) => {
    expect(read(text).problems).toMatchObject([{ code: 'DOCUMENT_NOT_OBJECT' }]);
  });

  test('may merge what an anchor names', () => {
    const { resources } = read('kind: A\nx: &x {a: 1}\nspec: {<<: *x, b: 2}\n');
    expect(resources[0]?.root.at('spec', 'a').number).toBe(1);
  });
});

describe('a value that is not there', () => {
  test('still knows its pointer, and the place of what should hold it', () => {
    const { resources } = read('kind: A\nspec:\n  a/b: {}\n');
    const missing = resources[0]?.root.at('spec', 'a/b', 'c~d');
    expect(missing?.exists).toBe(false);
    expect(missing?.pointer).toBe('/spec/a~1b/c~0d');
    expect(missing?.place).toMatchObject({ line: 3, column: 8 });
  });

  test('is also one that is null', () => {
    expect(read('kind: A\nspec: null\n').resources[0]?.root.at('spec').exists).toBe(false);
  });
});
