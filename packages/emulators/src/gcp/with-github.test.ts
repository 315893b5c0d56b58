import { expect, test } from 'vitest';
import { endAfterTest, instanceBody, ZONE } from '../../test/gce.js';
import { connect, openSession, registerRunner } from '../../test/raw-client.js';
import { startGitHubEmulator } from '../github/index.js';
import { startGceEmulator } from './index.js';

const SCRIPT = `#!/bin/bash
attributes=http://metadata.google.internal/computeMetadata/v1/instance/attributes
export ACTIONS_RUNNER_INPUT_JITCONFIG=$(curl -sSf -H 'Metadata-Flavor: Google' "$attributes/my-registration")
./run.sh
`;

test('a machine runs one job of the emulated GitHub, switches itself off, and stays until it is deleted', async () => {
  const github = await startGitHubEmulator();
  endAfterTest(() => github.close());
  const gce = await startGceEmulator({ times: { insertMs: 10, bootMs: 10, stopMs: 10, deleteMs: 10 } });
  endAfterTest(() => gce.close());
  const scaleSet = github.addScaleSet({ name: 'linux' });
  const service = await connect(github);
  const session = await openSession(service, scaleSet.id);
  const runner = await registerRunner(service, scaleSet.id, 'linux-1');
  const metadata = {
    items: [
      { key: 'startup-script', value: SCRIPT },
      { key: 'my-registration', value: runner.encodedJITConfig },
    ],
  };
  const reached = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      gce.on('instance', ({ status }) => status === wanted && resolve());
    });
  const instances = `${gce.url}/compute/v1/projects/${gce.project}/zones/${ZONE}/instances`;

  const terminated = reached('TERMINATED');
  const body = instanceBody('linux-1', { metadata });
  const image = { sourceImage: 'global/images/runner-image' };
  await fetch(instances, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, disks: [{ boot: true, autoDelete: true, initializeParams: image }] }),
  });
  await github.until(() => github.runners()[0]?.status === 'online');
  expect(gce.instances()).toMatchObject([{ status: 'RUNNING', runnerName: 'linux-1' }]);
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  await session.poll();
  await terminated;

  expect(github.jobs()).toMatchObject([{ result: 'succeeded', runnerName: 'linux-1' }]);
  expect(gce.instances()).toMatchObject([{ status: 'TERMINATED', machine: 'off' }]);
  const console = (await (await fetch(`${instances}/linux-1/serialPort?start=-40`)).json()) as { contents: string };
  expect(console.contents).toContain('powered off\r\n');
  const deleted = reached('DELETED');
  await fetch(`${instances}/linux-1`, { method: 'DELETE' });
  await deleted;
  expect(gce.instances()).toEqual([]);
});

test.each([
  ['no script', undefined, 'nothing was delivered'],
  ['a script that no interpreter is named in', 'echo', 'does not begin with #!'],
  ['a script that asks for no registration', '#!/bin/sh\necho\n', 'does not export'],
])('a machine with %s has no runner', async (_, script, problem) => {
  const gce = await startGceEmulator({ times: { insertMs: 0, bootMs: 0 } });
  endAfterTest(() => gce.close());
  const items = script === undefined ? [] : [{ key: 'startup-script', value: script }];
  const image = { sourceImage: 'global/images/runner-image' };
  await fetch(`${gce.url}/compute/v1/projects/${gce.project}/zones/${ZONE}/instances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(instanceBody('a', { metadata: { items }, disks: [{ boot: true, initializeParams: image }] })),
  });
  await expect.poll(() => gce.instances()[0]?.problem, { timeout: 10_000 }).toContain(problem);
  expect(gce.instances()).toMatchObject([{ status: 'RUNNING', machine: 'runnerless' }]);
});
