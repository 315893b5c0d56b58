import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/temp-dir.js';
import { bindSocket, probeSocket } from './socket.js';

const host = { clock: systemClock, umask: (mask: number) => process.umask(mask) };

async function serve(path: string) {
  const server = createServer((connection) => connection.on('error', () => {}));
  const bound = await bindSocket(server, path, host);
  onTestFinished(async () => void (await bound.close()));
  return bound;
}

/** A socket as a daemon leaves it that was killed: bound once, and nobody listens. */
async function leftOver(path: string): Promise<void> {
  const server = createServer();
  const elsewhere = `${path}-old`;
  await new Promise<void>((resolve) => server.listen(elsewhere, resolve));
  await rename(elsewhere, path);
  await new Promise((resolve) => server.close(resolve));
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

test('is for its owner and group, in a folder made for them, and gone at the end', async () => {
  const path = join(await tempDir(), 'run', 'rungar.sock');
  const before = process.umask();
  const bound = await serve(path);
  expect((await stat(path)).mode & 0o777).toBe(0o660);
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o750);
  expect(process.umask()).toBe(before);
  await bound.close();
  expect(await exists(path)).toBe(false);
});

test('leaves the mode of a folder that was there', async () => {
  const folder = join(await tempDir(), 'run');
  await mkdir(folder, { mode: 0o700 });
  await serve(join(folder, 'rungar.sock'));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('takes the place of one that a dead daemon left', async () => {
  const path = join(await tempDir(), 'rungar.sock');
  await leftOver(path);
  await probeSocket(path, systemClock);
  expect(await exists(path)).toBe(true);
  await serve(path);
  await expect(probeSocket(path, systemClock)).rejects.toMatchObject({ code: 'unavailable' });
});

test('of a living daemon is refused and left as it is', async () => {
  const path = join(await tempDir(), 'rungar.sock');
  await serve(path);
  const { ino } = await lstat(path);
  const refused = { code: 'unavailable', message: expect.stringContaining(path), hint: expect.any(String) };
  await expect(probeSocket(path, systemClock)).rejects.toMatchObject(refused);
  await expect(bindSocket(createServer(), path, host)).rejects.toMatchObject(refused);
  expect((await lstat(path)).ino).toBe(ino);
});

test('never takes the place of an ordinary file', async () => {
  const path = join(await tempDir(), 'rungar.sock');
  await writeFile(path, 'precious');
  const refused = { code: 'invalid_argument', message: expect.stringContaining(path) };
  await expect(probeSocket(path, systemClock)).rejects.toMatchObject(refused);
  await expect(bindSocket(createServer(), path, host)).rejects.toMatchObject(refused);
  expect(await readFile(path, 'utf8')).toBe('precious');
});

test('that somebody else put in its place stays when it is closed', async () => {
  const path = join(await tempDir(), 'rungar.sock');
  const ours = await serve(path);
  await rm(path);
  await serve(path);
  const theirs = await lstat(path);
  await ours.close();
  expect((await lstat(path)).ino).toBe(theirs.ino);
  await expect(probeSocket(path, systemClock)).rejects.toMatchObject({ code: 'unavailable' });
});

test('counts the limit of its path in bytes', async () => {
  const folder = await tempDir();
  const fill = (bytes: number): string => {
    const rest = bytes - Buffer.byteLength(folder) - 1;
    return join(folder, 'é'.repeat(Math.floor(rest / 2)) + 'x'.repeat(rest % 2));
  };
  await expect(probeSocket(fill(103), systemClock)).resolves.toBeUndefined();
  await serve(fill(103));
  await expect(probeSocket(fill(104), systemClock)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('104 bytes'),
  });
});

test('needs an absolute path', async () => {
  await expect(probeSocket('rungar.sock', systemClock)).rejects.toMatchObject({ code: 'invalid_argument' });
});

test('in a folder that cannot be made is an error that names it', async () => {
  const file = join(await tempDir(), 'file');
  await writeFile(file, '');
  await expect(bindSocket(createServer(), join(file, 'rungar.sock'), host)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(file),
  });
});
