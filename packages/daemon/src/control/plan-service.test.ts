import { Code } from '@connectrpc/connect';
import { parseConfig } from '@rungar/config';
import { RungarError } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { expect, test } from 'vitest';
import { RunnerState } from '../../gen/rungar/v1/rungar_pb.js';
import { openControl } from '../../test/control-harness.js';
import { providerStatus, runnerView, scaleSetPlan, scaleSetStatus } from '../../test/fake-reconciler.js';
import { createControlClient } from '../client.js';
import type { RunningConfig } from './plan-service.js';

const configText = (more: string, image = 'ami-0123456789abcdef0'): string => `version: 1
github: { url: https://github.com/my-org, token: ghp_0123456789abcdef0123 }
providers:
  - { name: cloud, type: aws, region: eu-central-1, subnets: [subnet-0aaaaaaaaaaaaaaa1], runner: { instance_type: m6i.large, image: ${image} } }
scale_sets:
${more}`;
const LINUX = '  - { name: linux, max_runners: 4, providers: [{ name: cloud }] }\n';
const OLD = '  - { name: old, max_runners: 2, providers: [{ name: cloud }] }\n';
const FRESH = '  - { name: fresh, max_runners: 2, min_runners: 1, providers: [{ name: cloud }] }\n';

function running(text: string): RunningConfig {
  const { settings, root } = parseConfig(text, { file: 'running.yaml', types: providerTypes });
  if (!settings) throw new Error('the configuration is not valid');
  return { settings, root, types: providerTypes };
}

async function open() {
  const harness = await openControl({ config: running(configText(LINUX + OLD)) });
  harness.reconciler.scaleSetStatuses = [
    scaleSetStatus('linux', { counts: { starting: 0, idle: 1, busy: 2 } }),
    scaleSetStatus('old', { counts: { starting: 0, idle: 0, busy: 1 } }),
  ];
  harness.reconciler.providerStatuses = [providerStatus('cloud')];
  return { ...harness, client: createControlClient(harness.path) };
}

test('plans every scale set, or those named, and names the known ones for another', async () => {
  const { client, reconciler } = await open();
  const { scaleSets, changes } = await client.plan({});
  expect(scaleSets.map(({ scaleSet, status, runnerCounts }) => [scaleSet, status, runnerCounts?.busy])).toEqual([
    ['linux', 'configured', 2],
    ['old', 'configured', 1],
  ]);
  expect(changes).toEqual([]);
  expect((await client.plan({ scaleSets: ['old'] })).scaleSets.map(({ scaleSet }) => scaleSet)).toEqual(['old']);
  await expect(client.plan({ scaleSets: ['linx'] })).rejects.toMatchObject({
    code: Code.NotFound,
    rawMessage: 'there is no scale set "linx" (did you mean linux?), only linux, old',
  });
  expect(reconciler.planned.every(([, change]) => change === undefined)).toBe(true);
});

test('under another configuration tells what is new, gone and changed, and plans each with its new policy', async () => {
  const { client, reconciler } = await open();
  const config = configText(LINUX.replace('4', '9') + FRESH, 'ami-0fedcba9876543210');
  const { scaleSets, changes } = await client.plan({ config, configFile: 'new.yaml' });
  expect(scaleSets.map(({ scaleSet, status }) => [scaleSet, status])).toEqual([
    ['linux', 'configured'],
    ['fresh', 'added'],
    ['old', 'removed'],
  ]);
  expect(scaleSets[2]?.steps.map(({ what }) => what)).toEqual([
    'close its session, so that its jobs wait on GitHub',
    'leave its 1 runners where they are: they become leftovers',
  ]);
  expect(reconciler.planned).toMatchObject([
    ['linux', { scaleSet: { maxRunners: 9 }, providers: [{ name: 'cloud', weight: 1 }] }],
    ['fresh', { scaleSet: { minRunners: 1 } }],
  ]);
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: 'value_changed', scaleSet: 'linux', key: 'max_runners', from: '4', to: '9' }),
  );
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: 'runners_outdated', scaleSet: 'linux', keys: ['image'], applies: 'reload' }),
  );
});

test('a configuration that is wrong is refused with its first problem, and no secret of it is repeated', async () => {
  const { client } = await open();
  const refused = client.plan({
    config: configText(LINUX).replace('max_runners: 4', 'max_runners: many'),
    configFile: 'new.yaml',
  });
  await expect(refused).rejects.toMatchObject({
    code: Code.InvalidArgument,
    rawMessage: expect.stringMatching(/^new\.yaml:6:\d+: scale_sets\[0\]\.max_runners/),
  });
  await expect(refused).rejects.not.toMatchObject({ rawMessage: expect.stringContaining('ghp_') });
});

test('a plan keeps its verdicts, steps and outdated runners on the wire', async () => {
  const { client, reconciler } = await open();
  reconciler.plan = async (name) =>
    scaleSetPlan(name, {
      reasons: ['GitHub has assigned nothing to it'],
      placement: [
        { provider: 'cloud', kind: 'at_limit', why: 'at its limit of 2 runners', taken: 2, maxRunners: 2, weight: 0.5 },
      ],
      steps: [
        { do: 'remove', runner: 'r', provider: 'cloud', what: 'remove it', why: 'because', facts: { proof: 'x' } },
      ],
      outdated: [{ runner: 'r', provider: 'cloud', state: 'busy', oldRevision: 'a', newRevision: 'b' }],
    });
  const [plan] = (await client.plan({ scaleSets: ['linux'] })).scaleSets;
  expect(plan).toMatchObject({
    reasons: ['GitHub has assigned nothing to it'],
    placement: [{ provider: 'cloud', rank: 0, verdict: 'at_limit', runners: 2, maxRunners: 2, weight: 0.5 }],
    steps: [{ do: 'remove', what: 'remove it', facts: { proof: 'x' } }],
    outdated: [{ state: RunnerState.BUSY, oldRevision: 'a', newRevision: 'b' }],
  });
});

test('explains a runner, a scale set, a provider and a job, with the names there are for another', async () => {
  const { client, reconciler, events } = await open();
  events.record({ name: 'linux-1', action: 'created', scaleSet: 'linux', provider: 'cloud' });
  events.record({
    name: 'linux-1',
    action: 'job_started',
    scaleSet: 'linux',
    attributes: { job_id: 'j1', repository: 'my-org/web', workflow_run_id: '77', queued: '2020-01-04T08:59:00.000Z' },
  });
  reconciler.view = {
    runners: [runnerView('linux-1', { scaleSet: 'linux', provider: 'cloud', state: 'busy', githubStatus: 'busy' })],
    unreachable: {},
  };
  const runner = await client.explain({ kind: 'runner', name: 'linux-1' });
  expect(runner.now[0]).toMatch(/^it is busy; its machine on cloud is .*; GitHub shows it busy$/);
  expect(runner.entries.map(({ by, text }) => `${by} ${text}`)[0]).toBe('github queued job j1 of my-org/web');
  expect((await client.explain({ kind: 'scale_set', name: 'linux' })).now[0]).toContain('it serves, with 2 busy');
  expect((await client.explain({ kind: 'provider', name: 'cloud', limit: 1 })).leftOut).toBe(0);
  const address = 'https://github.com/my-org/web/actions/runs/77/job/5';
  expect((await client.explain({ kind: 'job', name: address })).now).toEqual(['job j1 runs on linux-1']);
  const unknown = await client.explain({ kind: 'job', name: '9', labels: ['gpu'] });
  expect(unknown.now[0]).toMatch(/^no scale set carries this label: gpu; there are linux \(linux\); old \(old\)$/);
  for (const [kind, code] of [
    ['runner', Code.NotFound],
    ['job', Code.NotFound],
    ['machine', Code.InvalidArgument],
  ] as const) {
    await expect(client.explain({ kind, name: 'nobody' })).rejects.toMatchObject({ code });
  }
});

test('a plan that cannot be made leaves the rest of a story as it is', async () => {
  const { client, reconciler } = await open();
  reconciler.plan = () => Promise.reject(new RungarError('unavailable', 'its session has just ended'));
  const { now } = await client.explain({ kind: 'scale_set', name: 'linux' });
  expect(now).toContain('what its next pass would do is not known: its session has just ended');
});
