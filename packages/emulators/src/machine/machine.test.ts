import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect, forgedJitConfig, type RawService, registerRunner } from '../../test/raw-client.js';
import { type ManualClock, manualClock } from '../clock.js';
import type { GitHubEmulator } from '../github/emulator.js';
import { startGitHubEmulator } from '../github/start.js';
import type { Delivery } from './delivery.js';
import { bootMachine, type EmulatedMachine } from './machine.js';

const BOOT_MS = 3000;
let clock: ManualClock;
let github: GitHubEmulator;
let service: RawService;
let scaleSetId: number;
let powerOff: ReturnType<typeof vi.fn<() => void>>;
let machines: EmulatedMachine[];

beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 10, 30));
  github = await startGitHubEmulator({ clock });
  service = await connect(github);
  scaleSetId = github.addScaleSet({ name: 'linux' }).id;
  powerOff = vi.fn<() => void>();
  machines = [];
});
afterEach(async () => {
  for (const machine of machines) machine.kill();
  await github.close();
});

function boot(delivery: Delivery | undefined): EmulatedMachine {
  const machine = bootMachine({ delivery, bootMs: BOOT_MS, clock, onPowerOff: powerOff });
  machines.push(machine);
  return machine;
}

async function bootRunner(name = 'linux-1'): Promise<EmulatedMachine> {
  const { encodedJITConfig } = await registerRunner(service, scaleSetId, name);
  return boot({
    kind: 'user-data',
    text: `#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='${encodedJITConfig}'\n./run.sh\n`,
  });
}

/** Gives the scale set a listener that has room, without which no job is assigned. */
async function withListener(): Promise<void> {
  const session = await service.service('POST', `_apis/runtime/runnerscalesets/${scaleSetId}/sessions`, {
    ownerName: 'me',
  });
  const { messageQueueUrl, messageQueueAccessToken } = session.json as Record<string, string>;
  void fetch(messageQueueUrl ?? '', {
    headers: {
      authorization: `Bearer ${messageQueueAccessToken}`,
      accept: 'application/json; api-version=6.0-preview',
      'x-scalesetmaxcapacity': '5',
    },
  }).catch(() => {});
  await expect.poll(() => github.sessions()[0]?.capacity).toBe(5);
}

const stateOf = (machine: EmulatedMachine) => expect.poll(() => machine.state);

test('a machine connects after its boot, runs a job for its time, and switches itself off', async () => {
  await withListener();
  const machine = await bootRunner();
  clock.advance(BOOT_MS - 1);
  expect(machine.state).toBe('booting');
  clock.advance(1);
  await stateOf(machine).toBe('idle');
  expect(github.runners()[0]).toMatchObject({ name: 'linux-1', status: 'online', busy: false });

  const { id } = github.queueJob({ labels: ['linux'], seconds: 8 });
  await stateOf(machine).toBe('running');
  clock.advance(7999);
  expect(github.jobs()[0]?.state).toBe('running');
  clock.advance(1);
  await stateOf(machine).toBe('off');
  expect(github.jobs()[0]).toMatchObject({ id, state: 'completed', result: 'succeeded', runnerName: 'linux-1' });
  expect(powerOff).toHaveBeenCalledTimes(1);
  expect(github.runners()).toEqual([]);
  expect(machine.console.map(({ text }) => text)).toEqual([
    'booted',
    'runner linux-1 starts',
    'connected to GitHub, listening for jobs',
    `running job ${id}`,
    `job ${id} completed: succeeded`,
    'powered off',
  ]);
});

test('a job that is to fail fails', async () => {
  await withListener();
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  github.queueJob({ labels: ['linux'], seconds: 1, fail: true });
  await stateOf(machine).toBe('running');
  clock.advance(1000);
  await stateOf(machine).toBe('off');
  expect(github.jobs()[0]?.result).toBe('failed');
});

test('a job that is cancelled ends at once', async () => {
  await withListener();
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  const { id } = github.queueJob({ labels: ['linux'], seconds: 1000 });
  await stateOf(machine).toBe('running');
  github.cancelJob(id);
  await stateOf(machine).toBe('off');
  expect(github.jobs()[0]).toMatchObject({ state: 'completed', result: 'canceled', runnerName: 'linux-1' });
});

test.each([
  ['nothing', undefined, 'nothing was delivered to the machine'],
  ['a script without the configuration', { kind: 'user-data', text: '#!/bin/sh\n' } as const, 'does not export'],
  ['a configuration that is none', { kind: 'jit-config', text: '???' } as const, 'is not base64'],
])('a machine that was given %s stays up without a runner, and says why', (_, delivery, problem) => {
  const machine = boot(delivery);
  clock.advance(BOOT_MS);
  expect(machine.state).toBe('runnerless');
  expect(machine.problem).toContain(problem);
  expect(github.counts.get('runner-connect')).toBeUndefined();
  expect(powerOff).not.toHaveBeenCalled();
});

test('a runner that GitHub does not know ends, and its machine switches itself off', async () => {
  const machine = boot({ kind: 'jit-config', text: forgedJitConfig(github.url) });
  clock.advance(BOOT_MS);
  await stateOf(machine).toBe('off');
  expect(machine.problem).toBe('GitHub does not know runner 99');
  expect(powerOff).toHaveBeenCalledTimes(1);
});

test('a runner whose registration is removed while it is idle ends, and its machine with it', async () => {
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  await expect.poll(() => github.counts.get('runner-job')).toBe(1);
  const [runner] = github.runners();
  expect((await service.service('DELETE', `_apis/distributedtask/pools/0/agents/${runner?.id}`)).status).toBe(204);
  await stateOf(machine).toBe('off');
  expect(powerOff).toHaveBeenCalledTimes(1);
});

test('a runner tries again while GitHub fails, and connects when it answers', async () => {
  github.setFault({ operation: 'runner-connect', kind: 'status', status: 503, times: 2 });
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  await expect.poll(() => github.counts.get('runner-connect')).toBe(1);
  for (const calls of [2, 3]) {
    await expect
      .poll(() => {
        clock.advance(1000);
        return github.counts.get('runner-connect');
      })
      .toBe(calls);
  }
  await stateOf(machine).toBe('idle');
});

test('a killed machine breaks off at once: its runner goes offline and keeps its job', async () => {
  await withListener();
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  github.queueJob({ labels: ['linux'], seconds: 100 });
  await expect.poll(() => github.counts.get('runner-cancellation')).toBe(1);
  machine.kill();
  machine.kill();
  expect(machine.state).toBe('off');
  const wait = () => {
    clock.advance(github.settings.runnerOfflineAfterMs);
    return github.runners()[0];
  };
  await expect.poll(wait).toMatchObject({ status: 'offline', busy: true });
  expect(github.jobs()[0]?.state).toBe('running');
  expect(powerOff).not.toHaveBeenCalled();
});

test('a machine killed while it boots never connects', async () => {
  const machine = await bootRunner();
  machine.kill();
  clock.advance(BOOT_MS);
  expect(machine.state).toBe('off');
  expect(github.counts.get('runner-connect')).toBeUndefined();
});

test('a runner of a version that GitHub has ended says so on its console, and its machine switches itself off', async () => {
  github.settings.runnerVersion = '2.320.0';
  github.settings.runnerVersions = { '2.320.0': '2026-11-01T00:00:00Z' };
  const machine = await bootRunner();
  clock.advance(BOOT_MS);
  await stateOf(machine).toBe('off');
  expect(machine.console.map(({ text }) => text)).toContain(
    'An error occurred: Runner version v2.320.0 is deprecated and cannot receive messages.',
  );
  expect(powerOff).toHaveBeenCalledOnce();
  expect(github.runners()[0]).toMatchObject({ status: 'offline' });
});
