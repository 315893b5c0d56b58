import { expect, test } from 'vitest';
import { dicerClient, instanceRequest } from '../../test/dicer.js';
import { endAfterTest } from '../../test/ec2.js';
import { connect, openSession, registerRunner } from '../../test/raw-client.js';
import { startGitHubEmulator } from '../github/index.js';
import { startDicerEmulator } from './index.js';

test('a machine runs one job of the emulated GitHub, ends itself and is gone', async () => {
  const github = await startGitHubEmulator();
  endAfterTest(() => github.close());
  const dicer = await startDicerEmulator({ times: { bootMs: 10, stopMs: 10 } });
  endAfterTest(() => dicer.close());
  const scaleSet = github.addScaleSet({ name: 'linux' });
  const service = await connect(github);
  const session = await openSession(service, scaleSet.id);
  const runner = await registerRunner(service, scaleSet.id, 'linux-1');
  const removed = new Promise<void>((resolve) => {
    dicer.onInstance(({ state }) => state === undefined && resolve());
  });

  const env = { RUNNER_ALLOW_RUNASROOT: '1', ACTIONS_RUNNER_INPUT_JITCONFIG: runner.encodedJITConfig };
  await dicerClient(dicer).createInstance(instanceRequest('linux-1', { env }));
  await github.until(() => github.runners()[0]?.status === 'online');
  expect(dicer.instances()).toMatchObject([{ state: 'RUNNING', runnerName: 'linux-1' }]);
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  await session.poll();
  await removed;

  expect(github.jobs()).toMatchObject([{ result: 'succeeded', runnerName: 'linux-1' }]);
  expect(github.runners()).toEqual([]);
  expect(dicer.instances()).toEqual([]);
});
