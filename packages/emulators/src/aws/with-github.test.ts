import { expect, test } from 'vitest';
import { clientOf, endAfterTest, launchOne } from '../../test/ec2.js';
import { connect, openSession, registerRunner } from '../../test/raw-client.js';
import { startGitHubEmulator } from '../github/index.js';
import { startEc2Emulator } from './index.js';

test('a launched machine runs one job of the emulated GitHub and ends itself', async () => {
  const github = await startGitHubEmulator();
  endAfterTest(() => github.close());
  const ec2 = await startEc2Emulator({ times: { bootMs: 10, shutdownMs: 10 } });
  endAfterTest(() => ec2.close());
  const scaleSet = github.addScaleSet({ name: 'linux' });
  const service = await connect(github);
  const session = await openSession(service, scaleSet.id);
  const runner = await registerRunner(service, scaleSet.id, 'linux-1');
  const script = `#!/bin/bash\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='${runner.encodedJITConfig}'\n./run.sh\n`;
  const terminated = new Promise<void>((resolve) => {
    ec2.on('instance', ({ state }) => state === 'terminated' && resolve());
  });

  await launchOne(clientOf(ec2), { UserData: Buffer.from(script).toString('base64') });
  await github.until(() => github.runners()[0]?.status === 'online');
  expect(ec2.instances()).toMatchObject([{ state: 'running', runnerName: 'linux-1' }]);
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  await session.poll();
  await terminated;

  expect(github.jobs()).toMatchObject([{ result: 'succeeded', runnerName: 'linux-1' }]);
  expect(github.runners()).toEqual([]);
  expect(ec2.instances()).toMatchObject([
    { stateReason: { code: 'Client.InstanceInitiatedShutdown' }, machine: 'off' },
  ]);
});
