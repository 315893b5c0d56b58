import type { Located, LocatedScalar } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { parse, parseAll } from './parse.js';

/** The value alone, scalars by their text, null as null. */
function bare(value: Located): unknown {
  if (value.kind === 'scalar') return value.isNull ? null : value.source;
  if (value.kind === 'list') return value.items.map(bare);
  return Object.fromEntries(value.entries.map((entry) => [entry.key, bare(entry.value)]));
}

const read = (text: string): ReturnType<typeof parse> => parse(text, { file: 'f.yaml' });

/** Problems as `line:column path: message`. */
function said(text: string): string[] {
  return read(text).problems.map(({ place, path, message }) => `${place.line}:${place.column} ${path}: ${message}`);
}

function at(value: Located, ...path: (string | number)[]): Located {
  let found: Located | undefined = value;
  for (const part of path) {
    if (found?.kind === 'map') found = found.entries.find((entry) => entry.key === part)?.value;
    else if (found?.kind === 'list') found = found.items[Number(part)];
  }
  if (found === undefined) throw new Error(`nothing at ${path.join('.')}`);
  return found;
}

describe('scalars', () => {
  test.each([
    ['22:00', '22:00', false],
    ['0x10', '0x10', false],
    ['on', 'on', false],
    ['1_000', '1_000', false],
    ['007', '007', false],
    ['"22:00"', '22:00', true],
    ["'it''s'", "it's", true],
    ['"a\\tb"', 'a\tb', true],
    ['!!str 5', '5', true],
    ['!!int "5"', '5', false],
    ['! 5', '5', true],
  ])('keep the text of %s', (text, source, quoted) => {
    expect(read(`a: ${text}\n`).problems).toEqual([]);
    expect(at(read(`a: ${text}\n`).root, 'a')).toMatchObject({ kind: 'scalar', source, quoted, isNull: false });
  });

  test.each(['', '~', 'null', 'Null', 'NULL'])('take %j for null', (text) => {
    expect(at(read(`a: ${text}\nb: 1\n`).root, 'a')).toMatchObject({ isNull: true, quoted: false });
  });

  test.each(['""', '"null"', "'~'", 'nULL', '!!str null', '!!str'])('do not take %s for null', (text) => {
    expect(at(read(`a: ${text}\n`).root, 'a')).toMatchObject({ isNull: false });
  });

  test('fold and keep block texts as YAML does', () => {
    expect(bare(read('a: |\n  x\n   y\n\nb: >-\n  x\n  y\n').root)).toEqual({ a: 'x\n y\n', b: 'x y' });
  });
});

describe('places', () => {
  test('count lines and columns from 1, at the value and at the key', () => {
    const { root } = read('a:\n  b: [x, {c: "y"}]\n');
    expect(at(root, 'a', 'b', 1, 'c').place).toEqual({ file: 'f.yaml', line: 2, column: 14 });
    const a = at(root, 'a');
    expect(a.kind === 'map' && a.entries[0]?.keyPlace).toEqual({ file: 'f.yaml', line: 2, column: 3 });
  });

  test.each([
    ['with a byte order mark', '\ufeffa: 1\nb: x\n'],
    ['with carriage returns and line feeds', 'a: 1\r\nb: x\r\n'],
    ['with carriage returns alone', 'a: 1\rb: x\r'],
  ])('are the same %s', (_, text) => {
    expect(bare(read(text).root)).toEqual({ a: '1', b: 'x' });
    expect(at(read(text).root, 'b').place).toEqual({ file: 'f.yaml', line: 2, column: 4 });
  });
});

describe('an empty text', () => {
  test.each(['', '\n', '# nothing\n', '---\n', '\ufeff'])('%j is null', (text) => {
    expect(read(text)).toMatchObject({ root: { kind: 'scalar', isNull: true }, problems: [] });
  });
});

describe('aliases', () => {
  test('are copies that know where they are used', () => {
    const { root, problems } = read('a: &x\n  k: [1]\nb: *x\n');
    expect(problems).toEqual([]);
    expect(at(root, 'b', 'k', 0)).toEqual({
      kind: 'scalar',
      source: '1',
      quoted: false,
      isNull: false,
      place: { file: 'f.yaml', line: 2, column: 7, usedAt: { file: 'f.yaml', line: 3, column: 4 } },
    });
    expect((at(root, 'a', 'k', 0) as LocatedScalar).place.usedAt).toBeUndefined();
  });

  test('name the latest anchor before them', () => {
    expect(bare(read('a: &x 1\nb: *x\nc: &x 2\nd: *x\n').root)).toEqual({ a: '1', b: '1', c: '2', d: '2' });
  });

  test('may stand for a key', () => {
    expect(bare(read('a: &x k\n*x : 1\n').root)).toEqual({ a: 'k', k: '1' });
  });

  test('of an unknown anchor name the nearest known', () => {
    expect(read('a: &host 1\nb: *hots\n').problems).toMatchObject([
      {
        place: { line: 2, column: 4 },
        path: 'b',
        message: 'no anchor hots is defined above',
        hint: 'did you mean *host?',
      },
    ]);
    expect(said('a: *later\nb: &later 1\n')).toEqual(['1:4 a: no anchor later is defined above']);
  });

  test.each(['a: &x [*x]\n', 'a: &x {b: {c: *x}}\n', 'a: &x\n  <<: *x\n', '&x a: &y {b: [*y]}\n'])(
    'inside what they name are refused: %j',
    (text) => expect(said(text)).toEqual([expect.stringContaining('contains itself')]),
  );

  test('that multiply out are refused, once', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `${`*a${i - 1}, `.repeat(9)}`}]`,
    );
    expect(said(`${bomb.join('\n')}\n`)).toEqual([
      expect.stringContaining('aliases multiply out to more than 400000 values'),
    ]);
  });

  test('that pile up in depth are refused', () => {
    const pile = Array.from({ length: 200 }, (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}`}]`);
    expect(said(`${pile.join('\n')}\n`)[0]).toContain('more than 100 deep');
  });
});

describe('merge keys', () => {
  test.each<[string, string, unknown]>([
    ['give what the mapping does not set, before or after', '{k: own, <<: *a, z: 1}', { k: 'own', z: '1', m: 'a' }],
    ['come second even when first', '{<<: *a, k: own}', { k: 'own', m: 'a' }],
    ['take the earlier of a list', '{<<: [*a, *b]}', { k: 'a', m: 'a', n: 'b' }],
    ['take the earlier of several', '{<<: *b, <<: *a}', { k: 'b', m: 'a', n: 'b' }],
    ['take a mapping written there', '{<<: {q: 1}}', { q: '1' }],
    ['may be an empty list', '{<<: [], k: 1}', { k: '1' }],
    ['keep a null of the mapping itself', '{<<: *a, k: null}', { k: null, m: 'a' }],
    ['in quotes are ordinary keys', '{"<<": 1}', { '<<': '1' }],
  ])('%s', (_, text, want) => {
    const { root, problems } = read(`a: &a {k: a, m: a}\nb: &b {k: b, n: b}\nc: ${text}\n`);
    expect(problems).toEqual([]);
    expect(bare(at(root, 'c'))).toEqual(want);
  });

  test('are shallow: a nested mapping is taken whole', () => {
    expect(bare(at(read('a: &a {k: {x: 1, y: 2}}\nb: {<<: *a, k: {x: 3}}\n').root, 'b'))).toEqual({ k: { x: '3' } });
  });

  test('work through one another', () => {
    const { root } = read('a: &a {k: 1}\nb: &b {<<: *a, l: 2}\nc: {<<: *b, m: 3}\n');
    expect(bare(at(root, 'c'))).toEqual({ k: '1', l: '2', m: '3' });
    expect(at(root, 'c', 'k').place).toMatchObject({ line: 1, column: 11, usedAt: { line: 3, column: 9 } });
  });

  test.each(['<<: 1', '<<:', '<<: [1]', '<<: "x"'])('of anything but mappings are refused: %s', (text) => {
    expect(said(`a:\n  ${text}\n`)).toEqual([expect.stringContaining('takes a mapping, or a list of them')]);
  });
});

describe('what is refused', () => {
  test('a key set twice, with both lines', () => {
    expect(said('a: 1\nb:\n  c: 1\n  d: 2\n  "c": 3\n')).toEqual(['5:3 b.c: is set twice: on line 5 and on line 3']);
    expect(said('a: [{x: 1, x: 2}]\n')).toEqual(['1:12 a[0].x: is set twice: on line 1 and on line 1']);
  });

  test.each(['? [a]\n: 1\n', '? {a: 1}\n: 1\n', ': 1\n', '~: 1\n'])('a key that is no word: %j', (text) => {
    expect(said(text)).toEqual([expect.stringContaining('a key must be a word')]);
  });

  test('a second document, at its mark', () => {
    expect(said('---\na: 1\n---\nb: 2\n')).toEqual(['3:1 : a second document begins here, and only one is read']);
    expect(said('a: 1\n---\n')).toHaveLength(1);
    expect(said('a: 1\n...\n')).toEqual([]);
  });

  test('a second document leaves the first one whole', () => {
    expect(read('a: 1\n---\nb: 2\n').brokenAt).toBeUndefined();
    expect(read('a: [1\n---\nb: 2\n').brokenAt).toBeDefined();
  });

  test('a tag of its own', () => {
    expect(said('a: !vault x\n')).toEqual(['1:11 a: the tag !vault has no meaning here']);
    expect(said('a: !!map {b: !!seq []}\n')).toEqual([]);
  });

  test.each([
    ['a\tb: [', 1],
    ['a:\n\t- b\n', 2],
    ['a: "x\nb: 1\n', 1],
    ['a: b: c\n', 1],
    ['a: @x\n', 1],
    ['a: 1\n b: 2\n', 1],
    ['a: [1\nb: 2\n', 1],
    ['a: "\\q"\n', 1],
    ['%x\na: 1\n', 1],
  ])('what is no YAML, with a place: %j', (text, fromLine) => {
    const { problems, brokenAt } = read(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(brokenAt?.line).toBeGreaterThanOrEqual(fromLine);
    for (const { message } of problems) expect(message).toContain('this is not YAML');
  });

  test('without showing what may be a secret', () => {
    const key = 'a: 1\n  MIIEowIBAAKCAQEA\n"x": }secret{\n';
    expect(JSON.stringify(read(key).problems)).not.toMatch(/MIIE|secret\{/);
  });

  test.each([
    ['a\u0000b', 'U+0000', 2],
    ['a: \u007f', 'U+007F', 4],
    ['a: \ud800', 'U+D800', 4],
    ['a: \uffff', 'U+FFFF', 4],
  ])('a character YAML does not have: %j', (text, name, column) => {
    expect(read(text).problems).toMatchObject([{ place: { line: 1, column }, message: expect.stringContaining(name) }]);
  });

  test('a text of one byte too many, and not one of a mebibyte', () => {
    const full = `a: ${'é'.repeat((1024 * 1024 - 4) / 2)}\n`;
    expect(read(full).problems).toEqual([]);
    expect(said(`${full} `)).toEqual([expect.stringContaining('1048577 bytes')]);
  });

  test('a text of as many bytes as the caller allows, and one more', () => {
    const text = `a: ${'x'.repeat(2 * 1024 * 1024 - 4)}\n`;
    expect(parse(text, { file: 'f.yaml', mostBytes: 2 * 1024 * 1024 }).problems).toEqual([]);
    expect(parse(`${text} `, { file: 'f.yaml', mostBytes: 2 * 1024 * 1024 }).problems).toHaveLength(1);
  });

  test('nesting of 101 levels, and not of 100', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(said(nested(100))).toEqual([]);
    expect(said(nested(101))).toEqual([expect.stringContaining('more than 100 deep')]);
  });
});

const MEGABYTE = 1024 * 1024;
const PART = MEGABYTE / 32;

describe('hostile texts end quickly', () => {
  test.each([
    ['brackets', '['.repeat(MEGABYTE)],
    ['braces', '{'.repeat(MEGABYTE)],
    ['dashes', '- '.repeat(MEGABYTE / 2)],
    ['question marks', '? '.repeat(MEGABYTE / 2)],
    ['colons', 'a: '.repeat(MEGABYTE / 4)],
    ['anchors', '&a '.repeat(PART / 4)],
    ['commas', `[${','.repeat(MEGABYTE - 2)}]`],
    ['quotes', '"'.repeat(PART)],
    ['documents', '---\n'.repeat(MEGABYTE / 4)],
    ['directives', '%\n'.repeat(MEGABYTE / 2)],
    ['unknown aliases', `${'- &a 1\n'.repeat(20_000)}${'- *b\n'.repeat(20_000)}`],
    [
      'anchors and unknown aliases',
      Array.from({ length: 20_000 }, (_, i) => `- &anchor${i} 1\n- *other${i}\n`).join(''),
    ],
    ['one large value used often', `a: &a [${'x, '.repeat(100_000)}]\nb: [${'*a, '.repeat(100_000)}]\n`],
  ])('%s', (_, text) => expect(read(text).problems.length).toBeGreaterThan(0));

  test('20,000 keys in one mapping', () => {
    const { root, problems } = read(Array.from({ length: 20_000 }, (_, i) => `key${i}: v\n`).join(''));
    expect(problems).toEqual([]);
    expect(root.kind === 'map' && root.entries.length).toBe(20_000);
  });
});

describe('a stream of documents', () => {
  const all = (text: string, limits: { mostBytes?: number; mostDocuments?: number } = {}) =>
    parseAll(text, { file: 'f.yaml', ...limits });

  test('is read in written order, each with its places', () => {
    const { documents, problems } = all('a: 1\n---\n# nothing\n---\nb: x\n...\n---\n- c\n');
    expect(problems).toEqual([]);
    expect(documents.map(bare)).toEqual([{ a: '1' }, null, { b: 'x' }, ['c']]);
    expect(at(documents[2] as Located, 'b').place).toEqual({ file: 'f.yaml', line: 5, column: 4 });
  });

  test('is empty when the text is', () => {
    expect(all('').documents.map(bare)).toEqual([]);
    expect(all('# nothing\n').problems).toEqual([]);
  });

  test('ends anchors with their document', () => {
    expect(all('a: &x 1\n---\nb: *x\n').problems).toMatchObject([
      { place: { line: 3 }, message: 'no anchor x is defined above' },
    ]);
  });

  test('may set a key again in another document, and not in one', () => {
    expect(all('a: 1\n---\na: 1\n').problems).toEqual([]);
    expect(all('a: 1\n---\nb: 1\nb: 2\n').problems).toMatchObject([
      { place: { line: 4 }, path: 'b', message: 'is set twice: on line 4 and on line 3' },
    ]);
  });

  test('counts what aliases bring in over all of it', () => {
    const one = `a: &a [${'x, '.repeat(1000)}]\nb: [${'*a, '.repeat(100)}]\n`;
    expect(all(one).problems).toEqual([]);
    expect(all(Array.from({ length: 5 }, () => one).join('---\n')).problems).toMatchObject([
      { message: 'aliases multiply out to more than 400000 values' },
    ]);
  });

  test('of one document too many is a problem where it begins', () => {
    expect(all('a: 1\n---\nb: 1\n---\nc: 1\n', { mostDocuments: 2 }).problems).toMatchObject([
      { place: { line: 4, column: 1 }, message: 'more than 2 documents are not read' },
    ]);
    expect(all('a: 1\n---\nb: 1\n', { mostDocuments: 2 }).problems).toEqual([]);
  });

  test('may be larger than one document, when that is asked for', () => {
    const text = `a: ${'x'.repeat(MEGABYTE)}\n`;
    expect(all(text).problems).toMatchObject([{ message: expect.stringContaining('bytes, more than the 1048576') }]);
    expect(all(text, { mostBytes: 2 * MEGABYTE }).problems).toEqual([]);
  });
});
