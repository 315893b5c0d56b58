import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DecisionRecord } from '@rungar/reconciler';
import { describe, expect, test } from 'vitest';
import { fakeDaemon, json } from '../../test/fake-daemon.js';
import { schemaFaults } from '../../test/schemas.js';
import { tempFolder } from '../../test/temp-folder.js';
import { runCli } from '../../test/world.js';
import type { PlanAnswer } from '../control/answers.js';

const PLAN: PlanAnswer = {
  scale_sets: [
    {
      scale_set: 'birch-s',
      time: '2027-02-03T11:12:40Z',
      status: 'configured',
      phase: 'SCALE_SET_PHASE_LISTENING',
      reasons: ['no provider can take a runner: rack-a at its limit of 4 runners; rack-b held for birch-rel'],
      scaling: {
        target: 6,
        current: 4,
        able: 4,
        create: 2,
        max_runners: 12,
        assigned_jobs: 6,
        why: 'min_runners 0 + 6 assigned jobs = 6',
      },
      placement: [
        {
          provider: 'rack-a',
          verdict: 'at_limit',
          why: 'at its limit of 4 runners',
          runners: 4,
          max_runners: 4,
          weight: 1,
        },
        { provider: 'rack-b', verdict: 'held', why: 'held for birch-rel', weight: 1 },
      ],
      steps: [
        {
          do: 'remove',
          runner: 'birch-s-0a1b2c3d',
          provider: 'rack-a',
          what: 'remove it, its registration first',
          why: "GitHub no longer knows it: GitHub's listing lacks it; GitHub does not find it by name",
          facts: { proof: 'not_listed,not_found_by_name' },
        },
        {
          do: 'create',
          provider: 'rack-c',
          what: 'create a runner',
          why: '2 missing: because',
          facts: { target: '6' },
        },
        {
          do: 'create',
          provider: 'rack-c',
          what: 'create a runner',
          why: '2 missing: because',
          facts: { target: '6' },
        },
      ],
      outdated: [
        {
          runner: 'birch-s-77',
          provider: 'rack-a',
          state: 'RUNNER_STATE_BUSY',
          old_revision: 'aa',
          new_revision: 'bb',
        },
      ],
      runner_counts: { busy: 3, idle: 1 },
    },
  ],
  changes: [
    { kind: 'value_changed', scale_set: 'birch-s', key: 'max_runners', from: '4', to: '12', applies: 'reload' },
    { kind: 'value_changed', key: 'github.url', from: 'a', to: 'b', applies: 'restart' },
  ],
};

describe('rungar plan', () => {
  test('says what would be done, why, and which provider would take a runner', async () => {
    const { socket, asked } = await fakeDaemon(json({ ...PLAN, changes: [] }));
    const { code, stdout, stderr } = await runCli(['plan', 'birch-s', '--socket', socket]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'birch-s listening: 4 runners (3 busy), target 6, 2 to create',
        '  min_runners 0 + 6 assigned jobs = 6',
        '  no provider can take a runner: rack-a at its limit of 4 runners; rack-b held for birch-rel',
        '  - birch-s-0a1b2c3d: remove it, its registration first',
        "    because GitHub no longer knows it: GitHub's listing lacks it; GitHub does not find it by name",
        '  - create 2 runners on rack-c',
        '    because 2 missing: because',
        '  TRY   PROVIDER   RUNNERS   VERDICT',
        '  -     rack-a     4/4       at its limit of 4 runners',
        '  -     rack-b     0         held for birch-rel',
        '  OUTDATED     PROVIDER   STATE   REVISION   THEN',
        '  birch-s-77   rack-a     Busy    aa -> bb   ends with its job',
        '',
      ].join('\n'),
    );
    expect(JSON.parse(String(asked[0]?.body))).toEqual({ scale_sets: ['birch-s'] });
  });

  test('fits a terminal of 80 columns', async () => {
    const { socket } = await fakeDaemon(json(PLAN));
    let stdout = '';
    const write = (text: string): void => {
      stdout += text;
    };
    await runCli(['plan', '--socket', socket], { stdout: { write, isTTY: true, columns: 80 }, env: { NO_COLOR: '1' } });
    expect(stdout).toContain('Needs a restart (1)\n  github.url a -> b');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--json keeps zeros, names what needs a restart, and is what its schema says', async () => {
    const { socket } = await fakeDaemon(json(PLAN));
    const { stdout } = await runCli(['plan', '--json', '--socket', socket]);
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect((await schemaFaults('plan'))(document)).toEqual([]);
    expect(document).toMatchObject({
      scale_sets: [
        {
          paused: false,
          runner_counts: { starting: 0, idle: 1, busy: 3 },
          scaling: { give_back: 0, min_runners: 0 },
          placement: [{ rank: 0 }, { runners: 0, max_runners: 0 }],
          outdated: [{ state: 'busy' }],
          unreachable_providers: {},
        },
      ],
      needs_restart: ['github.url'],
    });
  });

  test('a configuration with mistakes is told whole, and no daemon is asked', async () => {
    const { socket, asked } = await fakeDaemon(json(PLAN));
    const path = join(await tempFolder(), 'new.yaml');
    await writeFile(path, 'version: 1\ngithub: { url: 7 }\nproviders: []\nscale_sets: [{ name: a }]\n');
    const { code, stderr, stdout } = await runCli(['plan', '-f', path, '--socket', socket]);
    expect({ code, stdout, asked: asked.length }).toEqual({ code: 2, stdout: '', asked: 0 });
    expect(stderr).toMatch(/has \d+ problems\.?\n$/);
    expect(await runCli(['plan', '-f', `${path}.none`, '--socket', socket])).toMatchObject({ code: 1 });
    expect(await runCli(['plan', '-f', ''])).toMatchObject({ code: 64 });
  });

  test.each([
    ['not_found', 404, 'there is no scale set "elm", only birch-s', 4],
    ['unavailable', 503, 'the daemon is stopping', 5],
    ['unimplemented', 501, 'unknown method', 1],
  ])('an answer of %s ends with its own exit code', async (word, status, message, code) => {
    const { socket } = await fakeDaemon(json({ code: word, message }, status));
    expect(await runCli(['plan', 'elm', '--socket', socket])).toEqual({
      code,
      stdout: '',
      stderr: `Error: ${message}\n`,
    });
  });
});

const EVENTS = [
  {
    ...{ time: '2027-02-03T11:00:42Z', kind: 'runner', name: 'birch-s-1', action: 'created' },
    ...{ scale_set: 'birch-s', provider: 'rack-a', message: 'Created on rack-a (2 vCPU) in 12s' },
    attributes: { create_duration: '12s' },
  },
  {
    ...{ time: '2027-02-03T11:02:00Z', kind: 'runner', name: 'birch-s-1', action: 'job_started', scale_set: 'birch-s' },
    attributes: {
      ...{ job_id: '4f', repository: 'fernhill/site', workflow_run_id: '77', wait: '2m0s', runner_wait: '1m59s' },
      ...{ queued: '2027-02-03T11:00:00Z', assigned: '2027-02-03T11:00:01Z', started: '2027-02-03T11:02:00Z' },
    },
  },
];

describe('rungar explain', () => {
  test('asks the daemon, and tells one story', async () => {
    const answer = {
      kind: 'runner',
      name: 'birch-s-1',
      now: ['it is busy'],
      entries: [{ time: '2027-02-03T11:00:42Z', by: 'provider', about: 'birch-s-1', text: 'rack-a made its machine' }],
      left_out: 3,
    };
    const { socket, asked } = await fakeDaemon(json(answer));
    const told = await runCli(['explain', 'runner', 'birch-s-1', '-n', '9', '--socket', socket]);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(
      /^birch-s-1 \(runner\)\n {2}it is busy\n\n3 earlier entries left out\n2027-02-03\n\d\d:00:42 {2}Provider rack-a made its machine\n$/,
    );
    expect(JSON.parse(String(asked[0]?.body))).toEqual({ kind: 'runner', name: 'birch-s-1', labels: [], limit: 9 });
    const document = JSON.parse(
      (await runCli(['explain', 'runner', 'x', '--json', '--socket', socket])).stdout,
    ) as object;
    expect((await schemaFaults('explain'))(document)).toEqual([]);
    await runCli(['explain', 'job', '0012', '--labels', ' gpu, linux ,', '--socket', socket]);
    expect(JSON.parse(String(asked.at(-1)?.body))).toMatchObject({
      kind: 'job',
      name: '0012',
      labels: ['gpu', 'linux'],
    });
  });

  test('tells the past from an event file, with GitHub, the provider and Rungar in the order of time', async () => {
    const path = join(await tempFolder(), 'events.jsonl');
    await writeFile(path, `${EVENTS.map((event) => JSON.stringify(event)).join('\n')}\nnonsense\n`);
    const address = 'https://github.com/fernhill/site/actions/runs/77/job/4711';
    const { code, stdout, stderr } = await runCli(['explain', 'job', address, '--events', path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Warning: ${path}: 1 of its lines are no events\n` });
    expect(stdout.split('\n').map((line) => line.replace(/^\d\d:/, 'HH:'))).toEqual([
      `${address} (job)`,
      '  job 4f runs on birch-s-1',
      '',
      '2027-02-03',
      'HH:00:00  GitHub   birch-s: queued job 4f of fernhill/site',
      'HH:00:01  GitHub   assigned job 4f of fernhill/site to scale set birch-s',
      'HH:00:30  Rungar   birch-s-1: began to create it',
      'HH:00:42  Provider birch-s-1: rack-a made its machine (2 vCPU)',
      'HH:02:00  GitHub   gave job 4f of fernhill/site to birch-s-1',
      'HH:02:00  Rungar   heard that birch-s-1 runs job 4f of fernhill/site, which had waited 2m0s, 1m59s of it for a runner',
      '',
    ]);
    expect(await runCli(['explain', 'runner', 'birch-s-2', '--events', path])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('did you mean birch-s-1?'),
    });
    expect(await runCli(['explain', 'runner', 'x', '--events', `${path}.none`])).toMatchObject({ code: 1 });
    expect(await runCli(['explain', 'runner', 'x', '--socket', '/nowhere/s'])).toMatchObject({ code: 3 });
  });

  test.each([
    [['explain', 'machine', 'x'], '<kind> must be one of runner, scale-set, job, provider, not "machine"'],
    [['explain', 'runner'], 'explain needs <kind> <name>'],
    [['explain', 'runner', 'x', '--labels', 'a'], '--labels is for a job'],
    [['explain', 'runner', 'x', '--events', ''], '--events names no file'],
  ])('rungar %j is wrong usage', async (args, message) => {
    expect(await runCli(args)).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
  });
});

describe('rungar replay', () => {
  const question = {
    scaling: {
      ...{ paused: false, minRunners: 1, maxRunners: 4, assignedJobs: 1, spare: false, doubted: false },
      counts: { alive: 1, able: 1, removing: 0, unseen: 0 },
    },
    placement: {
      providers: [
        { name: 'a', weight: 1, maxRunners: 0, disabled: false, unreachable: false, taken: 1, own: 1, claimed: 0 },
      ],
      claimant: { scaleSet: 'vm', priority: 0, placement: 'spread' },
      holdDown: 60_000,
    },
    giveBack: { unsent: [], sent: 0, runners: [], revisions: { '~map': [['a', 'x']] }, skip: { '~set': [] } },
    now: 1000,
  };
  const plan = { target: 2, create: 1, giveBack: 0, placed: ['a'], cancel: [], remove: [] };
  const line = (more: Partial<DecisionRecord['plan']> & object = {}): string =>
    JSON.stringify({
      ...{ v: 1, kind: 'scaling', scale_set: 'vm', at: '2027-02-03T11:00:00.000Z' },
      ...{ question, plan: { ...plan, ...more } },
    });

  async function replayed(lines: string[], ...flags: string[]) {
    const path = join(await tempFolder(), 'decisions.jsonl');
    await writeFile(path, lines.map((one) => `${one}\n`).join(''));
    const ran = await runCli(['replay', path, ...flags]);
    return { ...ran, stdout: ran.stdout.replaceAll(path, 'FILE'), stderr: ran.stderr.replaceAll(path, 'FILE') };
  }

  test('ends with 0 when everything is decided as recorded', async () => {
    expect(await replayed([line(), line()])).toEqual({
      code: 0,
      stdout: '2 decisions (0 passes, 2 of scaling): all decided as recorded\n',
      stderr: '',
    });
  });

  test('ends with 6 and the places where something is decided otherwise; damaged lines are named and skipped', async () => {
    const gap = '{"v":1,"kind":"gap","left":3}';
    const hollow = line().replace('"providers"', '"provider"');
    const lines = [line(), '{"v":1,', line({ target: 3, placed: [] }), gap, hollow];
    const { code, stdout } = await replayed(lines);
    expect(code).toBe(6);
    expect(stdout.replace(/\d{4}-\d\d-\d\d [\d:]+/, 'THEN').split('\n')).toEqual([
      'line 3: scaling of vm at THEN',
      '  target: 3 -> 2',
      '  placed[0]: nothing -> "a"',
      'FILE:2: skipped, it is no JSON',
      expect.stringMatching(/^FILE:5: skipped, it lacks what a decision needs: /),
      '3 decisions left out when recording, as the disk was too slow',
      '2 decisions (0 passes, 2 of scaling): 1 decided otherwise',
      '',
    ]);
    const { stdout: text, code: same } = await replayed(lines, '--json');
    expect(same).toBe(6);
    const document = JSON.parse(text) as object;
    expect((await schemaFaults('replay'))(document)).toEqual([]);
    expect(document).toMatchObject({ decisions: 2, left_out: 3, differences: [{ line: 3, scale_set: 'vm' }] });
  });

  test.each([
    ['nothing at all', []],
    ['no decision', ['{"a":1}']],
  ])('a file with %s is refused', async (_, lines) => {
    const { code, stderr } = await replayed(lines);
    expect(code).toBe(1);
    expect(stderr).toContain('FILE holds no recorded decision');
  });

  test('a file that is not there is exit code 1', async () => {
    expect(await runCli(['replay', '/nowhere/x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot read /nowhere/x'),
    });
  });
});
