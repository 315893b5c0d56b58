import { expect, test } from 'vitest';
import { endAfterTest, startPveWorld } from '../../test/pve.js';
import { connect, openSession, registerRunner } from '../../test/raw-client.js';
import { realClock } from '../clock.js';
import { startGitHubEmulator } from '../github/index.js';

test('a VM runs one job of the emulated GitHub and powers itself off', async () => {
  const github = await startGitHubEmulator();
  endAfterTest(() => github.close());
  const times = { linkedCloneMs: 1, startMs: 1, agentMs: 1 };
  const { pve, data } = await startPveWorld({ clock: realClock, times });
  const scaleSet = github.addScaleSet({ name: 'linux' });
  const service = await connect(github);
  const session = await openSession(service, scaleSet.id);
  const runner = await registerRunner(service, scaleSet.id, 'linux-1');
  const next = (status: string): Promise<void> =>
    new Promise((resolve) => {
      const stop = pve.on('vm', (event) => {
        if (event.status !== status) return;
        stop();
        resolve();
      });
    });

  const cloned = next('stopped');
  await data('POST', '/nodes/pve1/qemu/9000/clone', { newid: '105', name: 'linux-1' });
  await cloned;
  await data('PUT', '/nodes/pve1/qemu/105/config', { agent: '1' });
  const started = next('running');
  await data('POST', '/nodes/pve1/qemu/105/status/start');
  await started;
  await new Promise<void>((resolve) => void realClock.after(5, resolve));
  const off = next('stopped');
  await data('POST', '/nodes/pve1/qemu/105/agent/file-write', {
    file: '/run/rungar/jitconfig',
    content: runner.encodedJITConfig,
  });
  await github.until(() => github.runners()[0]?.status === 'online');
  expect(pve.vms()).toMatchObject([{ status: 'running', runnerName: 'linux-1', delivered: runner.encodedJITConfig }]);
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  await session.poll();
  await off;

  expect(github.jobs()).toMatchObject([{ result: 'succeeded', runnerName: 'linux-1' }]);
  expect(pve.vms()).toMatchObject([{ status: 'stopped', machine: 'off' }]);
});
