import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '@rungar/config';
import { startDaemon } from '@rungar/daemon';
import { createControlClient } from '@rungar/daemon/client';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { startPveEmulator } from '@rungar/emulators/proxmox';
import { createRedactor, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './eventually.js';
import { tempDir } from './temp-dir.js';

test('of two entries that lead to one Proxmox cluster the later is not used, and says so', async () => {
  const github = await startGitHubEmulator({ pollHoldMs: 200 });
  onTestFinished(() => github.close());
  const pve = await startPveEmulator();
  onTestFinished(() => pve.close());
  const folder = await tempDir();
  const config = join(folder, 'config.yaml');
  const entry = (name: string, url: string): string => `  - name: ${name}
    type: proxmox
    url: ${url}
    token_id: ${pve.token.id}
    token_secret: ${pve.token.secret}
    tls: {fingerprint: "${pve.fingerprint}"}
    runner: {template: 9000, cores: 2, memory: 2GiB}
`;
  await writeFile(
    config,
    `version: 1
github: {url: ${github.configUrl}, token: ${github.createToken()}}
reconcile_interval: 5s
socket: ${join(folder, 'rungar.sock')}
events: {file: ${join(folder, 'events.jsonl')}}
providers:
${entry('rack', pve.url)}${entry('door', pve.url.replace('127.0.0.1', 'localhost'))}scale_sets:
  - {name: linux, max_runners: 4, providers: [rack, door]}
`,
    { mode: 0o600 },
  );
  const { settings, problems } = await loadConfig(config, {
    types: providerTypes,
    signal: new AbortController().signal,
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (!settings) throw new Error('there are no settings');
  const written: string[] = [];
  const daemon = await startDaemon({
    settings,
    version: '1.2.3',
    commit: 'abc1234',
    clock: systemClock,
    random: systemRandom,
    redactor: createRedactor(),
    stderr: { write: (text) => written.push(text) },
    host: { name: 'host', nodeVersion: process.versions.node, umask: (mask) => process.umask(mask) },
  });
  onTestFinished(() => daemon.stop().catch(() => {}));
  const client = createControlClient(daemon.socket);

  await eventually(async () => {
    const { providers } = await client.listProviders({});
    expect(providers).toMatchObject([
      { name: 'rack', disabled: false, stateReason: '' },
      {
        name: 'door',
        disabled: true,
        stateReason: expect.stringContaining('is the same backend as rack and not used'),
      },
    ]);
  });
  expect(written.join('')).toMatch(/level=error msg="Two providers are one backend[^\n]*provider=door same_as=rack/i);
  await daemon.stop();
});
