import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@rungar/model/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replaceFile } from './replace-file.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-replace-'));
});
afterAll(() => rm(folder, { recursive: true }));

const options = { random: seededRandom(1), signal: new AbortController().signal };

test('a file gets a new text, and keeps its mode and its owner', async () => {
  const path = join(folder, 'a');
  await writeFile(path, 'old');
  await chmod(path, 0o604);
  // Only root can give a file away; whoever else runs this owns it before and after.
  const own = await stat(path);
  const [uid, gid] = own.uid === 0 ? [4711, 4712] : [own.uid, own.gid];
  await chown(path, uid, gid);
  await replaceFile(path, 'new', options);
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await stat(path)).toMatchObject({ uid, gid });
  expect((await stat(path)).mode & 0o7777).toBe(0o604);
});

test('what is not there is not made', async () => {
  await expect(replaceFile(join(folder, 'nowhere'), 'new', options)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await readdir(folder)).not.toContain('nowhere');
});

test('what cannot be replaced stays, and nothing is left beside it', async () => {
  const path = join(folder, 'is-a-folder');
  await mkdir(path);
  await expect(replaceFile(path, 'new', options)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${path} cannot be replaced`),
  });
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
});
