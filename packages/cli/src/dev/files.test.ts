import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFiles, parseConfig } from '@rungar/config';
import { fakeClock } from '@rungar/model/testing';
import { providerTypes } from '@rungar/providers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorld } from './world.js';

test('what is written is a valid configuration, and its secrets are for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rungar "quoted" #1: '));
  vi.stubEnv('TMPDIR', folder);
  const world = await startWorld(fakeClock());
  onTestFinished(async () => {
    await world.close({ keepFiles: false });
    expect(await readdir(folder, { recursive: true })).toEqual([expect.stringMatching(/^rungar-dev-\d+$/)]);
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  const { paths, github, backends } = world;

  const text = await readFile(paths.config, 'utf8');
  const config = parseConfig(text, { file: paths.config, types: providerTypes });
  const { settings, problems, deprecations } = config;
  expect({ problems, deprecations }).toEqual({ problems: [], deprecations: [] });
  expect(settings).toMatchObject({
    socket: paths.socket,
    reconcileIntervalMs: 5_000,
    github: { url: github.configUrl },
    scaleSets: [
      {
        name: 'linux-small',
        minRunners: 1,
        maxRunners: 9,
        placement: 'pack',
        providers: [{ name: 'dicer' }, { name: 'proxmox' }, { name: 'gcp' }],
      },
      {
        name: 'linux-large',
        labels: ['linux-large', 'release'],
        minRunners: 0,
        maxRunners: 3,
        providers: [{ name: 'aws' }],
      },
    ],
  });
  expect(await checkFiles(config, { signal: new AbortController().signal })).toEqual([]);
  for (const name of ['config.yaml', 'app.pem', 'aws-credentials', 'proxmox-token']) {
    expect(((await stat(join(paths.folder, name))).mode & 0o777).toString(8)).toBe('600');
  }
  const secrets = backends.flatMap((backend) => backend.secrets);
  expect(secrets).toHaveLength(2);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});
