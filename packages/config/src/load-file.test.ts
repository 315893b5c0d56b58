import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { loadConfig } from './load-file.js';

const TEXT =
  'version: 1\ngithub: {url: https://github.com/acme, token: t}\nproviders: [{name: p, type: box, address: a}]\n';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

const options = { types: [boxType], signal: new AbortController().signal };

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('a file is read and checked', async () => {
  const path = await written('fine.yaml', `\ufeff${TEXT}`);
  const { settings } = await loadConfig(path, options);
  expect(settings).toMatchObject({ file: path, github: { url: 'https://github.com/acme' } });
});

test('a missing file is not found, with advice', async () => {
  const path = join(folder, 'missing.yaml');
  await expect(loadConfig(path, options)).rejects.toMatchObject({
    code: 'not_found',
    message: `there is no configuration file at ${path}`,
    hint: expect.stringContaining('--config'),
  });
  await expect(loadConfig(join(await written('plain', ''), 'x'), options)).rejects.toMatchObject({ code: 'not_found' });
});

test('a folder cannot be read', async () => {
  const path = join(folder, 'sub');
  await mkdir(path);
  await expect(loadConfig(path, options)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(path),
    hint: 'Name the file, not its folder.',
  });
});

test('a file of one byte too many is a problem of the file, and one of a mebibyte is not', async () => {
  const full = TEXT + '#'.repeat(1024 * 1024 - TEXT.length);
  expect((await loadConfig(await written('full.yaml', full), options)).settings).toBeDefined();
  const { settings, problems } = await loadConfig(await written('over.yaml', `${full}#`), options);
  expect(settings).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('1048576 bytes') }]);
});

test('a device without end is a problem too', async () => {
  expect((await loadConfig('/dev/zero', options)).problems).toHaveLength(1);
});

test.each<[string, Uint8Array, number, number]>([
  ['Latin 1', Buffer.from('version: 1\n# caf\u00e9\n', 'latin1'), 2, 6],
  ['UTF-16', Buffer.from('\ufeffversion: 1\n', 'utf16le'), 1, 1],
  ['half a character', Uint8Array.of(0x61, 0xe2, 0x82), 1, 2],
])('%s is a problem with a place', async (name, bytes, line, column) => {
  const { settings, problems } = await loadConfig(await written(`${name}.yaml`, bytes), options);
  expect(settings).toBeUndefined();
  expect(problems).toMatchObject([
    { severity: 'error', place: { line, column }, message: 'the file is not UTF-8 text' },
  ]);
});

test('an aborted signal ends it', async () => {
  const reason = new Error('enough');
  await expect(loadConfig('/dev/zero', { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

describe.runIf(process.platform !== 'win32')('a named pipe', () => {
  test('is read to its end, whenever that is written', async () => {
    const path = namedPipe('pipe.yaml');
    const loading = loadConfig(path, options);
    await writeFile(path, TEXT);
    expect((await loading).settings).toMatchObject({ file: path });
  });

  test('that nobody writes into does not hold up who wants to stop', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const loading = loadConfig(namedPipe('silent.yaml'), { ...options, signal: stop.signal });
    stop.abort(reason);
    await expect(loading).rejects.toBe(reason);
  });
});

function namedPipe(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}
