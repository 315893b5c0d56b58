import { Readable } from 'node:stream';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { describe, expect, test, vi } from 'vitest';
import { NOW } from '../../test/answers.js';
import { busyFleet, fleetDaemon, Refusal } from '../../test/fleet.js';
import { schemaFaults } from '../../test/schemas.js';
import { type Ran, runCli } from '../../test/world.js';
import type { World } from '../command.js';
import { StopRequest } from '../exit.js';

const done = (stdout: string): Ran => ({ code: 0, stdout, stderr: '' });

/** A fake daemon, and the command line in front of it. */
async function open(handlers: Parameters<typeof fleetDaemon>[1] = {}) {
  const fleet = busyFleet();
  const daemon = await fleetDaemon(fleet, handlers);
  const clock = fakeClock(NOW);
  return {
    ...{ fleet, daemon, clock },
    rungar: (args: string, more: Parameters<typeof runCli>[1] = {}) =>
      runCli([...args.split(' '), '--socket', daemon.socket], { clock, ...more }),
  };
}

/** Lets virtual time pass until `ran` is over. */
async function passing<T>(clock: FakeClock, ran: Promise<T>): Promise<T> {
  let over = false;
  const settled = ran.finally(() => (over = true));
  while (!over) {
    await vi.waitFor(() => expect(over || clock.sleepers > 0).toBe(true), { interval: 1, timeout: 10_000 });
    await clock.advance(5_000);
  }
  return settled;
}

describe('rungar runners ls', () => {
  test('shows runners as status does, and what could not be asked', async () => {
    const { rungar, fleet } = await open();
    fleet.unreachable = { 'rack-c': 'connect 10.9.0.3:8006: timed out' };
    fleet.githubError = 'no answer';
    expect(await rungar('runners ls')).toEqual(
      done(`RUNNER               SCALE SET   PROVIDER   STATE   MACHINE   GITHUB   AGE   JOB
birch-old-1234abcd   birch-old   rack-b     -       Stopped   -        2d    -
birch-s-0a1b2c3d     birch-s     rack-a     Busy    Running   Busy     6m    fernhill/site: unit tests
birch-s-77aa00ee     birch-s     rack-a     Idle    Running   Idle     40m   -
rack-c could not be listed: connect 10.9.0.3:8006: timed out
GitHub could not be asked: no answer
`),
    );
  });

  test.each([
    ['runner ls', ['birch-old-1234abcd', 'birch-s-0a1b2c3d', 'birch-s-77aa00ee']],
    ['runners list --sort age', ['birch-s-0a1b2c3d', 'birch-s-77aa00ee', 'birch-old-1234abcd']],
    ['runners ls --sort age:desc', ['birch-old-1234abcd', 'birch-s-77aa00ee', 'birch-s-0a1b2c3d']],
    ['runners ls --sort job', ['birch-s-0a1b2c3d', 'birch-old-1234abcd', 'birch-s-77aa00ee']],
    ['runners ls --scale-set birch-s --provider rack-a', ['birch-s-0a1b2c3d', 'birch-s-77aa00ee']],
    ['runners ls --scale-set none', []],
  ])('%s -o name gives the names in order, and -o json and yaml the same', async (args, names) => {
    const { rungar } = await open();
    expect(await rungar(`${args} -o name`)).toEqual(done(names.map((name) => `${name}\n`).join('')));
    const { stdout } = await rungar(`${args} --json`);
    const { runners = [] } = JSON.parse(stdout) as { runners?: { name: string }[] };
    expect(runners.map(({ name }) => name)).toEqual(names);
    expect((await rungar(`${args} -o json`)).stdout).toBe(stdout);
    const yaml = await rungar(`${args} -o yaml`);
    expect(yaml.stdout.match(/(?<=- name: ).*/g) ?? []).toEqual(names);
  });

  test('--no-headers and -o wide change the table', async () => {
    const { rungar } = await open();
    const bare = await rungar('runners ls --no-headers --scale-set birch-old');
    expect(bare.stdout).toBe('birch-old-1234abcd   birch-old   rack-b   -   Stopped   -   2d   -\n');
    const narrow = { stdout: { write: vi.fn(), isTTY: true, columns: 60 }, env: { NO_COLOR: '1' } };
    await rungar('runners ls -o wide --scale-set birch-s', narrow);
    expect(narrow.stdout.write.mock.calls.join('')).toMatch(
      /JOB +CREATED +VERSION +JOB ID +RUN +WORKFLOW\n.*2027-02-03T11:06:00Z +2\.337\.0 +4f +9001 /,
    );
  });

  test.each([
    ['--sort colour', '--sort must be one of runner, scale-set, provider, state, machine, github, age, job'],
    ['--sort age:up', '--sort takes a column and asc or desc, as in --sort age:desc, not "age:up"'],
    ['-o xml', '--output must be one of table, wide, json, yaml, name, not "xml"'],
  ])('%s is refused before anybody is asked', async (flag, message) => {
    const { rungar, daemon } = await open();
    const { code, stderr, stdout } = await rungar(`runners ls ${flag}`);
    expect({ code, stdout, asked: daemon.asked.length }).toEqual({ code: 64, stdout: '', asked: 0 });
    expect(stderr).toContain(`Error: ${message}`);
    expect(stderr).toContain('See `rungar runners ls --help`.');
  });
});

describe('rungar scale-sets ls and inspect', () => {
  test('list what GitHub has of each, and whom could not be asked', async () => {
    const { rungar, fleet } = await open();
    fleet.unreachable = { 'rack-c': 'timed out' };
    expect(await rungar('scale-sets ls')).toEqual(
      done(`NAME        STATUS      ID   GROUP     RUNNERS   ASSIGNED   RUNNING   IDLE
birch-s     LISTENING   31   Default   3         1          1         2
birch-xl    PAUSED      -    -         0         -          -         -
birch-old   LEFTOVER    18   Default   1         0          0         0
GitHub could not be asked about birch-xl: no <answer> & none
rack-c could not be listed: timed out
`),
    );
    const json = await rungar('scale-set list -o json --sort name:desc');
    expect(json.stdout).toContain('"error": "no \\u003canswer\\u003e \\u0026 none"');
    expect(json.stdout).toMatch(/birch-xl.*birch-s.*birch-old/s);
  });

  test('inspect tells all of one', async () => {
    const { rungar, daemon } = await open();
    expect(await rungar('scale-sets inspect birch-s')).toEqual(
      done(`     Name: birch-s
   Status: LISTENING
Providers: rack-a, rack-b (pack)
   Runner: 2 vCPU, 4 GiB
  Runners: 3 (1 busy), 3 desired, at least 1, at most 12
 Schedule: Europe/Oslo
           mon-fri 07:00-18:00, at least 1 (in force)
           otherwise, at least 0
 Machines: 12.5 hours since the daemon started
  Version: 2.337.0 (3 runners), gets no jobs from 2027-03-20 on
       ID: 31
    Group: Default
   Labels: birch-s, quick
  Created: 2026-11-20T09:00:00Z
     Jobs: 1 assigned, 1 running
On GitHub: 3 runners registered, 1 busy, 2 idle
Workflows: runs-on: birch-s

Runners (2)
  RUNNER             SCALE SET   PROVIDER   STATE   MACHINE   GITHUB   AGE   JOB
  birch-s-0a1b2c3d   birch-s     rack-a     Busy    Running   Busy     6m    fernhill/site: unit tests
  birch-s-77aa00ee   birch-s     rack-a     Idle    Running   Idle     40m   -
`),
    );
    await rungar('scale-sets inspect birch-old --group Builders');
    expect(daemon.bodies('GetScaleSet')).toEqual([
      { name: 'birch-s' },
      { name: 'birch-old', runner_group: 'Builders' },
    ]);
  });

  test('inspect of a leftover, of one GitHub cannot be asked about, and of one GitHub has none of', async () => {
    const { rungar, fleet } = await open();
    expect((await rungar('scale-sets inspect birch-old')).stdout).toMatch(
      /Status: LEFTOVER: not in the configuration, but it has runners\n *Runners: 1\n *ID: 18\n/,
    );
    expect((await rungar('scale-sets inspect birch-xl')).stdout).toContain('GitHub: could not be asked: no <answer>');
    fleet.scaleSets.push({ name: 'elm', configured: true, github: {} });
    expect((await rungar('scale-sets inspect elm')).stdout).toContain(
      'GitHub: has none of that name in the runner group Default\n',
    );
    const document = JSON.parse((await rungar('scale-sets inspect birch-s --json')).stdout) as object;
    expect(Object.keys(document)).toEqual(['runners', 'scale_set']);
    expect(await rungar('scale-sets inspect oak')).toEqual({
      ...{ code: 4, stdout: '' },
      stderr: 'Error: there is no scale set "oak"\n',
    });
  });
});

describe('rungar providers ls and inspect', () => {
  test('list where runners are, and what is skipped there', async () => {
    const { rungar } = await open();
    expect(await rungar('providers ls')).toEqual(
      done(`NAME     TYPE      STATUS                                              RUNNERS   WEIGHT   SCALE SETS
rack-a   proxmox   OK                                                  3/16      1        birch-s
rack-b   dicer     DRAINING 2 runners left until the daemon restarts   2         0.5      birch-s,birch-xl
birch-s skips rack-b: failing (3 in a row), next try in 1m0s: no such kernel
`),
    );
    expect((await rungar('provider list -o name --sort weight')).stdout).toBe('rack-b\nrack-a\n');
  });

  test('inspect tells all of one', async () => {
    const { rungar, fleet } = await open();
    expect(await rungar('providers inspect rack-b')).toEqual(
      done(`      Name: rack-b
      Type: dicer
    Status: DRAINING 2 runners left until the daemon restarts
   Runners: 2
  Machines: 2.3 hours since the daemon started
    Weight: 0.5
Scale sets: birch-s: failing (3 in a row), next try in 1m0s: no such kernel
            birch-xl

Runners (1)
  RUNNER               SCALE SET   PROVIDER   STATE   MACHINE   GITHUB   AGE   JOB
  birch-old-1234abcd   birch-old   rack-b     -       Stopped   -        2d    -
`),
    );
    fleet.providers.push({ name: 'rack-c', type: 'aws', error: 'timed out' });
    expect((await rungar('providers inspect rack-c')).stdout).toMatch(
      /Status: UNREACHABLE\n *Error: timed out\n *Runners: 0\n *Weight: 0\nScale sets: none uses it\n/,
    );
    expect(await rungar('providers inspect rack-x')).toMatchObject({ code: 4 });
  });
});

describe('changing a state', () => {
  test.each([
    ['scale-sets pause birch-s', 'birch-s: paused until the daemon restarts\n', ['GetStatus', 'PauseScaleSet']],
    ['scale-sets pause birch-xl', 'birch-xl: is already paused\n', ['GetStatus']],
    ['scale-sets resume birch-xl', 'birch-xl: resumed, as the configuration has it\n', ['GetStatus', 'ResumeScaleSet']],
    ['scale-sets resume birch-s', 'birch-s: is already resumed\n', ['GetStatus']],
    ['providers disable rack-a', 'rack-a: disabled until the daemon restarts\n', ['GetStatus', 'DisableProvider']],
    ['providers disable rack-b', 'rack-b: is already disabled\n', ['GetStatus']],
    ['provider enable rack-b', 'rack-b: enabled, as the configuration has it\n', ['GetStatus', 'EnableProvider']],
    [
      'scale-sets pause --all',
      'birch-s: paused until the daemon restarts\nbirch-xl: is already paused\n',
      ['GetStatus', 'PauseScaleSet'],
    ],
  ])('rungar %s says how long it lasts, and asks for nothing needless', async (args, stdout, methods) => {
    const { rungar, daemon } = await open();
    expect(await rungar(args)).toEqual(done(stdout));
    expect(daemon.methods()).toEqual(methods);
  });

  test('against the configuration, and as it has it', async () => {
    const { rungar, fleet } = await open();
    fleet.scaleSets = [
      { name: 'a', configured: true, paused: true, configured_paused: true },
      { name: 'b', configured: true, configured_paused: true },
    ];
    expect((await rungar('scale-sets resume a')).stdout).toBe('a: resumed until the daemon restarts\n');
    expect((await rungar('scale-sets pause b')).stdout).toBe('b: paused, as the configuration has it\n');
  });

  test.each([
    ['scale-sets pause birch-old', 4, 'scale set "birch-old" is not in the configuration, which has birch-s, birch-xl'],
    ['providers drain x', 4, 'provider "x" is not in the configuration, which has rack-a, rack-b'],
    ['scale-sets pause', 64, 'give a name, or --all. See `rungar scale-sets pause --help`.'],
    ['providers drain rack-a --all', 64, 'give a name or --all, not both. See `rungar providers drain --help`.'],
    [
      'scale-sets pase birch-s',
      64,
      'unknown command "pase" of scale-sets (did you mean pause?). See `rungar scale-sets --help`.',
    ],
    ['runners rm', 64, 'give names, or say which by --scale-set, --provider, --state, --older-than'],
    ['scale-sets inspect', 64, 'scale-sets inspect needs <name>. See `rungar scale-sets inspect --help`.'],
  ])('rungar %s ends with %i', async (args, code, message) => {
    const { rungar } = await open();
    const ran = await rungar(args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(`Error: ${message}`);
  });

  test('of all goes on after one that fails, ends with 6, and is a document for programs', async () => {
    const { rungar, fleet } = await open({
      PauseScaleSet: ({ name }) => (name === 'birch-s' ? new Refusal('unavailable', 'not now') : {}),
    });
    fleet.scaleSets = fleet.scaleSets.map((one) => ({ ...one, paused: false }));
    const ran = await rungar('scale-sets pause --all --json');
    expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toMatchObject({
      code: 6,
      stderr: 'birch-s: not now\nError: 1 of 2 could not be paused\n',
      stdout: {
        changes: [
          { kind: 'scale_set', name: 'birch-xl', state: 'paused', changed: true, as_configured: false, error: '' },
          {
            kind: 'scale_set',
            name: 'birch-s',
            state: 'paused',
            changed: false,
            as_configured: false,
            error: 'not now',
          },
        ],
      },
    });
  });

  test('drain waits for the last machine, tells each change once, and never trusts a provider that is not listed', async () => {
    const { rungar, fleet, clock } = await open();
    fleet.runners = ['1', '2'].map((name) => ({ name, scale_set: 'birch-s', provider: 'rack-b' }));
    fleet.runners.push({ name: 'registration', scale_set: 'birch-s' });
    const ran = rungar('providers drain rack-b');
    const looks = [
      () => {},
      () => (fleet.runners = fleet.runners.slice(1)),
      () => {
        fleet.unreachable = { 'rack-b': 'timed out', 'rack-z': 'nobody cares' };
        fleet.runners = [];
      },
      () => {},
      () => (fleet.unreachable = { 'rack-z': 'nobody cares' }),
    ];
    for (const look of looks) {
      await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
      look();
      await clock.advance(5_000);
    }
    expect(await ran).toEqual(
      done(`rack-b: is already disabled
rack-b: 2 runners left, waiting
rack-b: 1 runner left, waiting
rack-b: rack-b could not be listed, waiting: timed out
rack-b: rack-b could not be listed, waiting: timed out
rack-b: drained
`),
    );
  });

  test('drain says once how idle runners go, when no other is left', async () => {
    const { rungar, fleet, clock } = await open();
    const of = (name: string, state: string) => ({ name, scale_set: 'birch-s', provider: 'rack-b', state });
    fleet.runners = [of('1', 'RUNNER_STATE_IDLE'), of('2', 'RUNNER_STATE_BUSY')];
    const ran = rungar('providers drain rack-b');
    const looks = [() => (fleet.runners = fleet.runners.slice(0, 1)), () => {}, () => (fleet.runners = [])];
    for (const look of looks) {
      await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
      look();
      await clock.advance(5_000);
    }
    expect(await ran).toEqual(
      done(`rack-b: is already disabled
rack-b: 2 runners left, waiting
rack-b: 1 runner left, waiting
rack-b: idle runners stay until they get a job; \`rungar runners rm --provider rack-b\` removes them
rack-b: drained
`),
    );
  });

  test('pause --wait can be interrupted, and the change stays', async () => {
    const { rungar, fleet, clock } = await open();
    const stop = new AbortController();
    const ran = rungar('scale-sets pause birch-s --wait', { signal: stop.signal });
    await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
    stop.abort(new StopRequest('SIGINT'));
    expect(await ran).toMatchObject({ code: 130, stdout: expect.stringContaining('birch-s: 2 runners left, waiting') });
    expect(fleet.scaleSets[0]?.paused).toBe(true);
  });
});

describe('rungar runners rm', () => {
  test('removes one after the other, goes on after a failure, and ends with 6', async () => {
    const { rungar, fleet } = await open();
    fleet.runners.push({ name: 'elm-1', scale_set: 'elm' });
    expect(await rungar('runners rm birch-s-77aa00ee none elm-1 birch-s-0a1b2c3d')).toEqual({
      code: 6,
      stdout: 'birch-s-77aa00ee: removed from rack-a\nelm-1: registration removed (no machine)\n',
      stderr: 'none: there is no runner "none"\nbirch-s-0a1b2c3d: it has a job\nError: 2 of 4 runners not removed\n',
    });
  });

  test.each([
    ['none', 4],
    ['birch-s-0a1b2c3d', 5],
  ])('of %s alone ends with %i', async (name, code) => {
    const { rungar } = await open();
    expect(await rungar(`runners rm ${name}`)).toMatchObject({ code, stdout: '' });
    expect(await rungar(`runners rm ${name} --dry-run`)).toMatchObject({ code, stdout: '' });
  });

  test('by filter never takes one with a job, and by age none that is too young', async () => {
    const { rungar, fleet, daemon } = await open();
    const dry = await rungar('runners rm --scale-set birch-s --dry-run');
    expect(dry).toEqual(done('birch-s-77aa00ee: would be removed from rack-a\n'));
    expect(await rungar('runners rm --state idle --older-than 41m --yes')).toEqual(done('no runner matches\n'));
    expect(daemon.methods()).not.toContain('RemoveRunner');
    const json = await rungar('runners rm --state idle --older-than 40m --yes --json');
    expect(JSON.parse(json.stdout)).toEqual({
      dry_run: false,
      removed: [{ name: 'birch-s-77aa00ee', scale_set: 'birch-s', provider: 'rack-a' }],
      failed: [],
    });
    expect(fleet.runners).toHaveLength(2);
  });

  test('by filter takes what it finds, and ends with 6 when a provider was not listed', async () => {
    const { rungar, fleet } = await open();
    fleet.unreachable = { 'rack-b': 'timed out' };
    expect(await rungar('runners rm --provider rack-a --yes')).toEqual({
      code: 6,
      stdout: 'birch-s-77aa00ee: removed from rack-a\n',
      stderr: 'rack-b could not be listed: timed out\n',
    });
  });

  const terminal = (input: string): World['stdin'] => Object.assign(Readable.from([input]), { isTTY: true });
  test.each([
    ['y\n', 1],
    ['Yes\n', 1],
    ['\n', 0],
    ['n\n', 0],
    ['', 0],
  ])('by filter shows which and asks on a terminal; %j removes %i', async (answer, count) => {
    const { rungar, daemon } = await open();
    const ran = await rungar('runners rm --scale-set birch-s', { stdin: terminal(answer) });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^RUNNER .*\nbirch-s-77aa00ee .*\nRemove 1 runner\? \[y\/N\] /);
    expect(daemon.bodies('RemoveRunner')).toHaveLength(count);
  });

  test.each([
    ['--state idle', 'without a terminal to ask on, runners are removed by filter only with --yes'],
    ['a --state idle --yes', 'give names or filters, not both'],
    ['--older-than soon --yes', '--older-than takes a duration such as 90s or 1h30m, not "soon"'],
  ])('%s is refused', async (flags, message) => {
    const { rungar, daemon } = await open();
    const { code, stderr } = await rungar(`runners rm ${flags}`);
    expect({ code, asked: daemon.asked.length }).toEqual({ code: 64, asked: 0 });
    expect(stderr).toContain(message);
  });
});

describe('rungar scale-sets rm', () => {
  const removed = [{ name: 'birch-old-1234abcd', scale_set: 'birch-old', provider: 'rack-a' }];

  test('waits for jobs with --wait, and then removes it from GitHub', async () => {
    const answers = [{ removed, busy_left: 1 }, { busy_left: 1 }, { scale_set_id: '18' }];
    const { rungar, clock, daemon } = await open({ RemoveScaleSet: () => answers.shift() });
    expect(await passing(clock, rungar('scale-sets rm birch-old --wait --group Builders'))).toEqual(
      done(`birch-old-1234abcd: removed from rack-a
birch-old: 1 runner still busy, waiting
birch-old (18): removed from GitHub
`),
    );
    expect(daemon.bodies('RemoveScaleSet')).toEqual(Array(3).fill({ name: 'birch-old', runner_group: 'Builders' }));
  });

  test('without --wait ends with 5 when jobs are left', async () => {
    const { rungar } = await open({ RemoveScaleSet: () => ({ removed, busy_left: 2 }) });
    expect(await rungar('scale-sets delete birch-old')).toEqual({
      code: 5,
      stdout: 'birch-old-1234abcd: removed from rack-a\n',
      stderr:
        'Error: birch-old: 2 runners still busy. Call it again once their jobs are done, or wait for that with --wait.\n',
    });
    const json = await rungar('scale-sets rm birch-old --json');
    expect({ ...json, stdout: JSON.parse(json.stdout) }).toMatchObject({
      code: 5,
      stdout: { scale_set: 'birch-old', dry_run: false, removed, busy_left: 2, scale_set_id: '0' },
    });
  });

  test('says that GitHub has none', async () => {
    const { rungar } = await open({ RemoveScaleSet: () => ({}) });
    expect(await rungar('scale-sets rm x')).toEqual(done('x: GitHub has none in the runner group Default\n'));
  });

  test('--dry-run only asks for what is there', async () => {
    const { rungar, fleet, daemon } = await open();
    expect(await rungar('scale-sets rm birch-old --dry-run')).toEqual(
      done('birch-old-1234abcd: would be removed from rack-b\nbirch-old (18): would be removed from GitHub\n'),
    );
    fleet.runners.push({
      name: 'b',
      scale_set: 'birch-old',
      provider: 'rack-a',
      github_status: 'RUNNER_GITHUB_STATUS_BUSY',
    });
    expect((await rungar('scale-sets rm birch-old --dry-run')).stdout).toContain('stays while 1 runner is busy\n');
    expect(await rungar('scale-sets rm birch-s --dry-run')).toMatchObject({
      code: 1,
      stderr: 'Error: scale set "birch-s" is in the configuration. Take it out there first.\n',
    });
    fleet.unreachable = { 'rack-a': 'timed out' };
    expect(await rungar('scale-sets rm birch-old --dry-run')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^Error: rack-a could not be listed, .*: timed out\. .* restart the daemon: .*\.\n$/,
      ),
    });
    expect(daemon.methods()).not.toContain('RemoveScaleSet');
  });
});

describe('rungar reconcile', () => {
  test('says what each scale set has then, and ends as the daemon refuses', async () => {
    const { rungar, daemon } = await open();
    expect(await rungar('reconcile birch-s birch-xl')).toEqual(
      done('birch-s: 3 runners, 3 desired\nbirch-xl: 0 runners, 0 desired\n'),
    );
    expect(JSON.parse((await rungar('reconcile --json birch-xl')).stdout)).toEqual({
      scale_sets: [{ name: 'birch-xl', runners: 0, desired_runners: 0 }],
    });
    expect(daemon.bodies('Reconcile')).toEqual([{ scale_sets: ['birch-s', 'birch-xl'] }, { scale_sets: ['birch-xl'] }]);
    const standby = await open({ Reconcile: () => new Refusal('unavailable', 'another session holds it') });
    expect(await standby.rungar('reconcile')).toMatchObject({ code: 5, stderr: 'Error: another session holds it\n' });
  });
});

describe('every document is what its schema says', () => {
  test.each([
    ['status', 'status --json'],
    ['top', 'top --json'],
    ['reconcile', 'reconcile --json'],
    ['scale-sets-ls', 'scale-sets ls --json'],
    ['scale-sets-inspect', 'scale-sets inspect birch-s --json'],
    ['scale-sets-rm', 'scale-sets rm birch-old --dry-run --json'],
    ['providers-ls', 'providers ls --json'],
    ['providers-inspect', 'providers inspect rack-b --json'],
    ['runners-ls', 'runners ls --json'],
    ['runners-rm', 'runners rm none birch-s-77aa00ee --json'],
    ['changes', 'scale-sets pause --all --json'],
    ['changes', 'providers disable rack-a --json'],
  ] as const)('%s of rungar %s', async (schema, args) => {
    const { rungar } = await open();
    const document = JSON.parse((await rungar(args)).stdout) as Record<string, unknown>;
    const faults = await schemaFaults(schema);
    expect(faults(document)).toEqual([]);
    expect(faults({ ...document, surprise: 1 })).not.toEqual([]);
  });
});
