import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeFiles } from './write-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dispat-write-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

describe('a file that is written', () => {
  test('takes its place whole: who has the old one open keeps it, and nothing is left beside', async () => {
    writeFileSync(at('a'), 'old');
    chmodSync(at('a'), 0o640);
    const before = statSync(at('a'));
    await writeFiles([{ file: at('a'), text: 'new' }]);
    expect(readFileSync(at('a'), 'utf8')).toBe('new');
    expect(statSync(at('a')).ino).not.toBe(before.ino);
    expect(statSync(at('a')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('behind a link replaces what the link leads to, there or not', async () => {
    mkdirSync(at('real'));
    writeFileSync(at('real/a'), 'old');
    symlinkSync('real/a', at('a'));
    symlinkSync('real/b', at('b'));
    await writeFiles([
      { file: at('a'), text: 'new a' },
      { file: at('b'), text: 'new b' },
    ]);
    expect(lstatSync(at('a')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('real/a'), 'utf8')).toBe('new a');
    expect(readFileSync(at('real/b'), 'utf8')).toBe('new b');
  });

  test('that is a pipe or a device is written to', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const read = readFile(at('pipe'), 'utf8');
    await writeFiles([
      { file: at('pipe'), text: 'through' },
      { file: '/dev/null', text: 'gone' },
    ]);
    expect(await read).toBe('through');
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  test.each([['/dev/fd/'], ['/proc/self/fd/']])(
    'through a descriptor of the process goes to its file: %s',
    async (own) => {
      const open = openSync(at('a'), 'w+');
      await writeFiles([{ file: `${own}${open}`, text: 'told' }]);
      expect(fstatSync(open).ino).toBe(statSync(at('a')).ino);
      closeSync(open);
      expect(readFileSync(at('a'), 'utf8')).toBe('told');
    },
  );

  test('as a new one leaves one alone that exists, and says so', async () => {
    writeFileSync(at('a'), 'mine');
    await expect(writeFiles([{ file: at('a'), text: 'new', isNew: true }])).rejects.toThrow(
      /OUTPUT_NOT_WRITABLE .*found EEXIST: file already exists; allowed: a file that does not exist yet/,
    );
    await writeFiles([{ file: at('b'), text: 'new', isNew: true }]);
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['mine', 'new']);
    expect(readdirSync(folder)).toEqual(['a', 'b']);
  });
});

describe('several files', () => {
  test.each([
    ['a folder that is missing', 'none/b'],
    ['a folder in its place', 'taken'],
    ['a file in the place of its folder', 'a/b'],
  ])('are all left as they were when one meets %s', async (_what, second) => {
    mkdirSync(at('taken'));
    writeFileSync(at('a'), 'old');
    const written = writeFiles([
      { file: at('a'), text: 'new' },
      { file: at('c'), text: 'new' },
      { file: at(second), text: 'new' },
    ]);
    await expect(written).rejects.toThrow(/OUTPUT_NOT_WRITABLE/);
    expect(readFileSync(at('a'), 'utf8')).toBe('old');
    expect(existsSync(at('c'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['a', 'taken']);
  });

  test('cannot have one place', async () => {
    symlinkSync('a', at('link'));
    const written = writeFiles([
      { file: at('a'), text: 'one' },
      { file: at('link'), text: 'two' },
    ]);
    await expect(written).rejects.toThrow(/OPTIONS_CONFLICT/);
    expect(readdirSync(folder)).toEqual(['link']);
  });
});
