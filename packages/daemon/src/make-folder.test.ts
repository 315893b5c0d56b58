import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from './make-folder.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rungar-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('makes every folder that is missing, with the mode asked for', async () => {
  await makeFolder(join(root, 'a', 'b'), 0o700);
  expect([await modeOf(join(root, 'a')), await modeOf(join(root, 'a', 'b'))]).toEqual([0o700, 0o700]);
});

test('leaves a folder that is there as it is', async () => {
  await makeFolder(join(root, 'a'), 0o700);
  await makeFolder(join(root, 'a'), 0o750);
  expect(await modeOf(join(root, 'a'))).toBe(0o700);
});

test('fails where a file stands in the way', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(makeFolder(join(root, 'file', 'below'), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(existsSync('/proc'))('fails at once where nothing can be made: below /proc', async () => {
  await expect(makeFolder('/proc/rungar/below', 0o700)).rejects.toMatchObject({ code: 'ENOENT' });
});
