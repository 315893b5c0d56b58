import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, parseConfig } from '@rungar/config';
import { createRedactor, silentLogger, systemClock, systemRandom } from '@rungar/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processType } from '../src/type.js';
import { unending } from './harness.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-processes-'));
});
afterEach(() => rm(folder, { recursive: true }));

function parse(entry: string, runner = '{}') {
  const text = `version: 1
github: {url: https://github.com/acme, token_path: /etc/rungar/token}
providers: [{name: here, type: process, ${entry}, runner: ${runner}}]
scale_sets: [{name: linux, max_runners: 2, providers: [here]}]
`;
  return parseConfig(text, { file: 'config.yaml', types: [processType] });
}

const said = (entry: string, runner?: string): string[] =>
  parse(entry, runner).problems.map(({ path, message }) => `${path} ${message}`);

test('the configuration to start from has no problem', async () => {
  const { settings, problems } = await loadConfig(join(import.meta.dirname, '..', 'config.yaml'), {
    types: [processType],
    ...unending(),
  });
  expect(problems).toEqual([]);
  expect(settings?.providers.map(({ type }) => type)).toEqual(['process']);
});

test('an entry needs the folder of its processes, and its paths are absolute', () => {
  expect(said('folder: runner')).toEqual([
    'providers[0].state is missing, on provider "here"',
    'providers[0].folder must be an absolute path, not runner, on provider "here"',
  ]);
});

test('a runner block may be left out, and sets no variable that every process has of its own', () => {
  expect(said('state: /var/lib/runners')).toEqual([]);
  const of = 'on provider "here", in scale set "linux"';
  const env = 'scale_sets[0].providers[0].runner.env';
  expect(said('state: /var/lib/runners', '{env: {RUNGAR_MACHINE: x, A-B: y}}')).toEqual([
    `${env}.RUNGAR_MACHINE must not be set: every process is given its own, ${of}`,
    `${env}.A-B must be the name of a variable, ${of}`,
  ]);
});

test('an effective runner block, read again, has the same revision', () => {
  const spec = (runner: string) => parse('state: /var/lib/runners', runner).settings?.scaleSets[0]?.providers[0];
  const asWritten = spec('{env: {B: "2", A: "1"}}');
  const again = spec('{command: [./run.sh], env: {A: "1", B: "2"}}');
  expect(asWritten?.revision).toMatch(/^[0-9a-f]{12}$/);
  expect(again?.revision).toBe(asWritten?.revision);
  expect(spec('{env: {A: "1"}}')?.revision).not.toBe(asWritten?.revision);
});

test('a folder that is not there is said with its key, and the cure', async () => {
  const [provider] = parse(`state: ${folder}, folder: ${folder}/none`).settings?.providers ?? [];
  await expect(provider?.configured.checkFiles(unending())).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^folder: .*none cannot be used: ENOENT/),
  });
});

test('a program that cannot be run is found before a job waits for it', async () => {
  await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const [provider] = parse(`state: ${folder}, folder: ${folder}`).settings?.providers ?? [];
  const context = {
    name: 'here',
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    redactor: createRedactor(),
  };
  const ask = (command: string[]) =>
    provider?.configured.checkOnline?.([{ scaleSet: 'linux', spec: { command, env: new Map() } }], context, unending());
  expect(await ask(['./run.sh'])).toEqual([]);
  expect(await ask(['sleep', '1'])).toEqual([]);
  expect(await ask(['./missing.sh'])).toEqual([
    { severity: 'error', scaleSet: 'linux', key: 'command', message: expect.stringContaining('missing.sh') },
  ]);
});
