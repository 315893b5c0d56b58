import { mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { knownWorld, newWorldFolder, rememberWorld } from './folder.js';

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'rungar-folder-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true, force: true });
  });
});

const own = (): string => join(temporary, `rungar-dev-${userInfo().uid}`);

test("a world's folder is new, and nobody else's to look into", async () => {
  const [one, other] = [await newWorldFolder(), await newWorldFolder()];
  expect(one).not.toBe(other);
  expect(((await stat(own())).mode & 0o777).toString(8)).toBe('700');
  expect(((await stat(one)).mode & 0o777).toString(8)).toBe('700');
});

test('a link in place of the folder is refused, and what it points to stays as it is', async () => {
  const elsewhere = await mkdtemp(join(temporary, 'elsewhere-'));
  await symlink(elsewhere, own());
  await expect(newWorldFolder()).rejects.toMatchObject({
    code: 'invalid_argument',
    message: `"${own()}" is not a folder of your own`,
    hint: 'remove it, or set TMPDIR to another folder',
  });
  expect(await readdir(elsewhere)).toEqual([]);
});

test('a world is found by its folder, and the last one without it', async () => {
  const first = { folder: await newWorldFolder(), github: 'http://127.0.0.1:1' };
  const second = { folder: await newWorldFolder(), github: 'http://127.0.0.1:2' };
  await rememberWorld(first);
  await rememberWorld(second);
  expect(await knownWorld(first.folder)).toEqual(first);
  expect(await knownWorld()).toEqual(second);
});

test('forgetting takes only its own notes away', async () => {
  const first = { folder: await newWorldFolder(), github: 'http://127.0.0.1:1' };
  const second = { folder: await newWorldFolder(), github: 'http://127.0.0.1:2' };
  const forgetFirst = await rememberWorld(first);
  const forgetSecond = await rememberWorld(second);
  await forgetFirst();
  await expect(knownWorld(first.folder)).rejects.toMatchObject({ code: 'not_found' });
  expect(await knownWorld()).toEqual(second);
  await forgetSecond();
  await expect(knownWorld()).rejects.toMatchObject({ code: 'not_found', message: 'no emulated world is running' });
});

test('a note that was cut short is no world', async () => {
  const folder = await newWorldFolder();
  await writeFile(join(folder, 'world.json'), '{"folder":');
  await expect(knownWorld(folder)).rejects.toMatchObject({
    code: 'not_found',
    message: `no emulated world is running in ${folder}`,
  });
});
