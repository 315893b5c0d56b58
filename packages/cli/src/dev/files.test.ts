import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFiles, parseConfig } from '@rungar/config';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { providerTypes } from '@rungar/providers';
import { expect, onTestFinished, test } from 'vitest';
import { writeWorldFiles } from './files.js';

test('what is written is a valid configuration, and its secrets are for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rungar "quoted" #1: '));
  const github = await startGitHubEmulator({ scopes: ['acme'] });
  const ec2 = await startEc2Emulator();
  onTestFinished(async () => {
    await Promise.all([github.close(), ec2.close()]);
    await rm(folder, { recursive: true });
  });
  const paths = {
    folder,
    config: join(folder, 'config.yaml'),
    socket: join(folder, 'rungar.sock'),
    log: join(folder, 'daemon.log'),
    events: join(folder, 'events.jsonl'),
  };
  await writeWorldFiles(paths, { app: await github.createApp(), githubUrl: github.configUrl, ec2 });

  const text = await readFile(paths.config, 'utf8');
  const config = parseConfig(text, { file: paths.config, types: providerTypes });
  const { settings, problems, deprecations } = config;
  expect({ problems, deprecations }).toEqual({ problems: [], deprecations: [] });
  expect(settings).toMatchObject({
    socket: paths.socket,
    reconcileIntervalMs: 5_000,
    github: { url: github.configUrl },
    scaleSets: [
      { name: 'linux-small', minRunners: 1, maxRunners: 5 },
      { name: 'linux-large', labels: ['linux-large', 'release'], minRunners: 0, maxRunners: 3 },
    ],
  });
  expect(await checkFiles(config, { signal: new AbortController().signal })).toEqual([]);
  for (const name of ['config.yaml', 'app.pem', 'aws-credentials']) {
    expect(((await stat(join(folder, name))).mode & 0o777).toString(8)).toBe('600');
  }
  expect(text).not.toContain(ec2.credentials.secretAccessKey);
});
