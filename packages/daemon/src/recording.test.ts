import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedactor, silentLogger } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { recordingLogger } from '../test/recording-logger.js';
import { tempDir } from '../test/temp-dir.js';
import { openRecording } from './recording.js';

const shared = () => ({ clock: fakeClock(), redactor: createRedactor(), logger: silentLogger });

test('appends line by line, secrets out, for its owner alone', async () => {
  const path = join(await tempDir(), 'decisions.jsonl');
  const options = { ...shared(), path };
  options.redactor.hold('hunter2-hunter2');
  for (const line of ['{"a":1}', '{"b":"hunter2-hunter2"}']) {
    const recording = await openRecording(options);
    recording.record(line);
    await recording.close();
  }
  expect(await readFile(path, 'utf8')).toBe('{"a":1}\n{"b":"REDACTED"}\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a file that has grown too big is put aside, and the one before goes', async () => {
  const path = join(await tempDir(), 'decisions.jsonl');
  const recording = await openRecording({ ...shared(), path, fileLimit: 10 });
  for (const line of ['first line', 'second line', 'third line']) {
    recording.record(line);
    await new Promise((resolve) => setImmediate(resolve));
    await expect.poll(() => readFile(path, 'utf8')).toContain(line);
  }
  await recording.close();
  expect(await readFile(path, 'utf8')).toBe('third line\n');
  expect(await readFile(`${path}.1`, 'utf8')).toBe('second line\n');
});

test('what the disk is too slow for is left out, and a line says how much', async () => {
  const path = join(await tempDir(), 'decisions.jsonl');
  const recording = await openRecording({ ...shared(), path, queueLimit: 8 });
  for (const line of ['12345', '678901', '2345678']) recording.record(line);
  await expect.poll(() => readFile(path, 'utf8')).toContain('12345');
  recording.record('9');
  await recording.close();
  expect(await readFile(path, 'utf8')).toMatch(/12345\n.*\{"v":1,"kind":"gap","left":\d\}\n.*9\n$/s);
});

test('a disk that refuses is left alone for half a minute, and the daemon goes on', async () => {
  const path = join(await tempDir(), 'decisions.jsonl');
  const logger = recordingLogger();
  const options = { ...shared(), path, logger };
  const recording = await openRecording({ ...options, fileLimit: 1 });
  recording.record('one');
  await expect.poll(() => readFile(path, 'utf8')).toBe('one\n');
  await writeFile(`${path}.1`, '');
  const { rm, mkdir } = await import('node:fs/promises');
  await rm(`${path}.1`);
  await mkdir(`${path}.1`);
  recording.record('two');
  await expect.poll(() => JSON.stringify(logger.lines)).toContain('Decisions are not recorded for now');
  recording.record('three');
  await recording.close();
  expect(await readFile(path, 'utf8')).toBe('one\n');
});

test.each([
  ['a folder', (folder: string) => folder],
  ['no folder', (folder: string) => join(folder, 'no', 'file')],
])('a place that is %s is refused with what to do', async (_, where) => {
  await expect(openRecording({ ...shared(), path: where(await tempDir()) })).rejects.toMatchObject({
    code: 'invalid_argument',
    hint: expect.stringContaining('--record'),
  });
});
