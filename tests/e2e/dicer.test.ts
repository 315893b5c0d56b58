import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DicerEmulator, type DicerEmulatorOptions, startDicerEmulator } from '@rungar/emulators/dicer';
import { expect, test, vi } from 'vitest';
import { atEnd } from './support/cleanup.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { rungar, startServe } from './support/rungar.js';
import { startWorld } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS });

const GIB = 1024n ** 3n;

async function startHost(options: DicerEmulatorOptions): Promise<DicerEmulator> {
  const dicer = await startDicerEmulator({ times: { bootMs: [50, 150], stopMs: 50 }, pullMs: 100, ...options });
  atEnd(() => dicer.close());
  return dicer;
}

test('jobs fill a Dicer host, then run on another one over TLS, and leave nothing on either', async () => {
  const world = await startWorld();
  const { github, folder, app } = world;
  const near = await startHost({ socketPath: join(folder, 'd'), host: { memoryBytes: 4n * GIB }, images: [] });
  const far = await startHost({ tls: {} });
  const { ca, cert, key } = far.tls ?? { ca: '', cert: '', key: '' };
  const files = { 'ca.pem': ca, 'client.pem': cert, 'client.key': key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const config = join(folder, 'dicer.yaml');
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
  - name: near
    type: dicer
    address: ${near.address}
    runner: &runner {image: "ghcr.io/actions/actions-runner:latest", vcpus: 1, memory: 2GiB}
  - name: far
    type: dicer
    address: ${far.address}
    tls: {ca_file: ${folder}/ca.pem, cert_file: ${folder}/client.pem, key_file: ${folder}/client.key}
    runner: *runner
scale_sets:
  - {name: small, max_runners: 4, placement: pack, providers: [near, far]}
`,
    { mode: 0o600 },
  );
  expect(await rungar(['validate', '-f', config])).toMatchObject({ code: 0 });
  const daemon = await startServe(config);

  github.queueJobs([1, 2, 3].map(() => ({ labels: ['small'], seconds: 2 })));
  await eventually(
    'the jobs run',
    () => github.jobs().filter(({ state }) => state === 'running').length === 3,
    daemon.ended,
  );
  expect(near.instances()).toHaveLength(2);
  expect(far.instances()).toHaveLength(1);
  expect(near.stats().calls.PullImage).toBe(1);
  const { runners = [] } = await world.status();
  expect(runners.map(({ provider }) => provider).sort()).toEqual(['far', 'near', 'near']);

  await eventually('the machines are gone', () => [...near.instances(), ...far.instances()].length === 0, daemon.ended);
  expect(github.jobs().map(({ result }) => result)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect([near.failures, far.failures]).toEqual([[], []]);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
});
