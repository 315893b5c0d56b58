import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPveEmulator } from '@rungar/emulators/proxmox';
import { expect, test, vi } from 'vitest';
import { atEnd } from './support/cleanup.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { rungar, startServe } from './support/rungar.js';
import { startWorld } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS });

test('jobs run on clones in a Proxmox cluster, spread over its nodes, and leave nothing there', async () => {
  const world = await startWorld();
  const { github, folder, app } = world;
  const pve = await startPveEmulator({
    times: { linkedCloneMs: 50, startMs: 20, agentMs: 50, stopMs: 20, destroyMs: 20, broadcastMs: 500 },
  });
  atEnd(() => pve.close());
  await writeFile(join(folder, 'pve-secret'), `${pve.token.secret}\n`, { mode: 0o600 });
  const config = join(folder, 'proxmox.yaml');
  await writeFile(
    config,
    `version: 1
github:
  url: ${github.configUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${folder}/app.pem
reconcile_interval: 5s
socket: ${folder}/s
events: {file: ${folder}/events.jsonl}
providers:
  - name: rack
    type: proxmox
    url: ${pve.url}
    token_id: ${pve.token.id}
    token_secret_path: ${folder}/pve-secret
    tls: {fingerprint: "${pve.fingerprint}"}
    nodes: [pve1, pve2]
    runner: {template: 9000, cores: 2, memory: 8GiB, pool: ci}
scale_sets:
  - {name: small, max_runners: 4, providers: [rack]}
`,
    { mode: 0o600 },
  );
  expect(await rungar(['validate', '-f', config, '--online'])).toMatchObject({ code: 0 });
  const database = pve.addVm({ name: 'a-database' });
  const daemon = await startServe(config);

  github.queueJobs([1, 2, 3].map(() => ({ labels: ['small'], seconds: 2 })));
  await eventually(
    'the jobs run',
    () => github.jobs().filter(({ state }) => state === 'running').length === 3,
    daemon.ended,
  );
  const runners = pve.vms().filter(({ vmid }) => vmid !== database.vmid);
  expect(runners.map(({ cores, memory, pool }) => ({ cores, memory, pool }))).toEqual(
    [1, 2, 3].map(() => ({ cores: 2, memory: 8192, pool: 'ci' })),
  );
  expect(new Set(runners.map(({ node }) => node))).toEqual(new Set(['pve1', 'pve2']));

  await eventually('the machines are gone', () => pve.vms().length === 1, daemon.ended);
  expect(pve.vms()).toEqual([database]);
  expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(github.runners()).toEqual([]);
  expect(pve.failures).toEqual([]);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
  expect(daemon.stderr()).not.toContain(pve.token.secret);
});
