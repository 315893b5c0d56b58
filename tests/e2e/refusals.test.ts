import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ec2Emulator } from '@rungar/emulators/aws';
import { expect, test, vi } from 'vitest';
import { eventually, pause, TEST_LIMIT_MS } from './support/eventually.js';
import { oneLine } from './support/one-line.js';
import { rungar, startServe } from './support/rungar.js';
import { filesIn, startWorld } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: 6 });

test.concurrent('a key that GitHub refuses ends the daemon after a second try, and leaves nothing', async () => {
  const world = await startWorld();
  const other = await world.github.createApp();
  const key = join(world.folder, 'other.pem');
  await writeFile(key, other.privateKey, { mode: 0o600 });
  const ended = await rungar(['serve', '--config', await world.writeConfig({ key })]);
  expect(ended.code).toBe(1);
  const line = oneLine(ended);
  expect(line).toContain('GitHub refuses the credential');
  expect(line).toContain('Check the App, its installation and its key');
  const asked = world.github.requests.filter(({ operation }) => operation === 'installation-token');
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect((asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(10_000);
  expect(await filesIn(world.folder)).not.toContain('s');
  expect([world.github.sessions(), world.github.scaleSets(), world.ec2.instances()]).toEqual([[], [], []]);
});

/** A way for EC2 to refuse every launch: how it begins, how it ends, and what is shown meanwhile. */
interface Refusal {
  readonly code: string;
  readonly full: boolean;
  begin(ec2: Ec2Emulator): void;
  end(ec2: Ec2Emulator): void;
}

const REFUSALS: readonly Refusal[] = [
  {
    code: 'InsufficientInstanceCapacity',
    full: true,
    begin: (ec2) => ec2.setStock({ instanceType: 'm5.large' }, 0),
    end: (ec2) => ec2.setStock({ instanceType: 'm5.large' }, undefined),
  },
  {
    code: 'VcpuLimitExceeded',
    full: true,
    begin: (ec2) => ec2.setQuota({ vcpus: 0 }),
    end: (ec2) => ec2.setQuota({}),
  },
  {
    code: 'UnauthorizedOperation',
    full: false,
    begin: (ec2) => ec2.deny('RunInstances'),
    end: (ec2) => ec2.deny('RunInstances', false),
  },
];

test.concurrent.each(REFUSALS)(
  'while EC2 answers $code the daemon stays, says why and when, and recovers',
  async (refusal) => {
    const world = await startWorld();
    const { github, ec2, folder } = world;
    refusal.begin(ec2);
    const daemon = await startServe(await world.writeConfig());
    github.queueJob({ labels: ['small'], seconds: 0.2 });

    const skipped = async () => {
      const { providers = [] } = await world.status();
      return providers[0]?.scale_sets?.find(({ scale_set: name }) => name === 'small');
    };
    await eventually('the refusal is shown', async () => (await skipped())?.backoff_for !== undefined, daemon.ended);
    const shown = await skipped();
    expect(shown?.full ?? false).toBe(refusal.full);
    expect(shown?.refusals).toBeGreaterThanOrEqual(1);
    expect(shown?.refusal).toContain(refusal.code);
    expect(Number.parseFloat(shown?.backoff_for ?? '')).toBeGreaterThan(0);
    const { stdout: words } = await rungar(['status', '--socket', join(folder, 's')]);
    expect(words).toMatch(
      new RegExp(
        `small skips cloud: ${refusal.full ? 'full' : 'failing'}.*, next try in \\d+m?\\d*s: .*${refusal.code}`,
      ),
    );
    await eventually('no registration is left', () => github.runners().length === 0, daemon.ended);
    expect(ec2.instances()).toEqual([]);
    expect((await world.status()).scale_sets?.[0]?.phase).toBe('SCALE_SET_PHASE_LISTENING');

    refusal.end(ec2);
    await eventually('the job has run', () => github.jobs()[0]?.result === 'succeeded', daemon.ended);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  },
);

test.concurrent('a throttle only makes a launch wait: nothing is called failing, and the job runs when it is lifted', async () => {
  const world = await startWorld();
  const { github, ec2 } = world;
  ec2.setThrottle('RunInstances', { bucket: 0, perSecond: 0 });
  const daemon = await startServe(await world.writeConfig());
  github.queueJob({ labels: ['small'], seconds: 0.2 });
  await eventually('it was throttled', () => (ec2.stats().refusals.RequestLimitExceeded ?? 0) >= 2, daemon.ended);
  await pause(500);
  const { providers = [], scale_sets: scaleSets = [] } = await world.status();
  expect(providers[0]).toMatchObject({ reachable: true });
  expect(providers[0]?.scale_sets?.[0]?.backoff_for).toBeUndefined();
  expect(scaleSets[0]?.phase).toBe('SCALE_SET_PHASE_LISTENING');

  ec2.setThrottle('RunInstances', undefined);
  await eventually('the job has run', () => github.jobs()[0]?.result === 'succeeded', daemon.ended);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
});

test.concurrent('a provider that cannot be listed is shown with the reason, and works again by itself', async () => {
  const world = await startWorld();
  const { github, ec2, folder } = world;
  ec2.deny('DescribeInstances');
  const daemon = await startServe(await world.writeConfig());
  await eventually(
    'it is shown as unreachable',
    async () => {
      const { providers: [cloud] = [] } = await world.status();
      return cloud?.reachable === undefined && (cloud?.error ?? '').includes('UnauthorizedOperation');
    },
    daemon.ended,
  );
  expect((await rungar(['status', '--socket', join(folder, 's')])).stdout).toMatch(/cloud +aws +UNREACHABLE/);

  ec2.deny('DescribeInstances', false);
  github.queueJob({ labels: ['small'], seconds: 0.2 });
  await eventually('the job has run', () => github.jobs()[0]?.result === 'succeeded', daemon.ended);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
});
