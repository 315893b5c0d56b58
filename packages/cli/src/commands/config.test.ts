import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../test/world.js';

let root = '';
let folder = '';
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rungar-config-'));
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, `${count++}-`));
});
afterAll(() => rm(root, { recursive: true }));

async function file(text: string, name = 'config.yaml'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

const FINE = `version: 1
github: {url: https://github.com/acme, token: not-a-real-token}
providers:
  - name: ec2
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner: {image: ami-0a1b2c3d, instance_type: m7i.large, user_data: "#!/bin/sh\\nexport DB_PASSWORD=hunter2\\n"}
scale_sets:
  - {name: linux, max_runners: 2, providers: [ec2]}
`;

const PRINTED = `version: 1
github:
  url: https://github.com/acme
  token: REDACTED
installation: gh-47a00949ae7d
providers:
  - name: ec2
    type: aws
    weight: 1
    region: eu-central-1
    subnets:
      - subnet-0a1b2c3d
    timeout: 30s
    runner:
      image: ami-0a1b2c3d
      instance_type: m7i.large
      user_data: |
        #!/bin/sh
        export REDACTED
scale_sets:
  - name: linux
    runner_group: Default
    min_runners: 0
    max_runners: 2
    providers:
      - name: ec2
    placement: spread
    start_timeout: 5m0s
reconcile_interval: 30s
metrics:
  enable: false
  listen: "127.0.0.1:9102"
events:
  file: /var/log/rungar/events.jsonl
  max_count: 10000
socket: /run/rungar/rungar.sock
log_level: info
log_format: text
`;

describe('rungar config', () => {
  test('prints the configuration as the daemon takes it, and again what it printed', async () => {
    const first = await file(FINE);
    expect(await runCli(['config', '-f', first])).toEqual({ code: 0, stdout: PRINTED, stderr: '' });
    const second = await file(PRINTED, 'printed.yaml');
    expect(await runCli(['config', '-f', second])).toEqual({ code: 0, stdout: PRINTED, stderr: '' });
  });

  test('adds what each runner is in the end', async () => {
    const path = await file(FINE);
    const { code, stdout } = await runCli(['config', '--effective', '-f', path]);
    expect(code).toBe(0);
    expect(stdout.slice(0, PRINTED.length)).toBe(PRINTED);
    expect(stdout.slice(PRINTED.length)).toMatch(
      /^effective:\n {2}- scale_set: linux\n {4}provider: ec2\n {4}endpoint: aws:eu-central-1\n {4}size: m7i\.large\n {4}revision: \S+\n {4}runner:\n/,
    );
    expect(stdout.slice(PRINTED.length)).toContain('      disk_size: 50GiB\n');
  });

  test('prints a document for programs', async () => {
    const path = await file(FINE);
    const { code, stdout } = await runCli(['config', '--json', '--effective', '-f', path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      github: { token: 'REDACTED' },
      effective: [{ scale_set: 'linux', provider: 'ec2', revision: expect.stringMatching(/^[0-9a-f]{12}$/) }],
    });
  });

  test('shows values that look like credentials on request, and the token never', async () => {
    const path = await file(FINE);
    const { stdout } = await runCli(['config', '--show-values', '-f', path]);
    expect(stdout).toContain('export DB_PASSWORD=hunter2');
    expect(stdout).not.toContain('not-a-real-token');
  });

  test('does not look at the files that are named', async () => {
    const path = await file(FINE.replace('token: not-a-real-token', 'token_path: /nowhere/token'));
    const { code, stdout } = await runCli(['config', '-f', path]);
    expect(code).toBe(0);
    expect(stdout).toContain('  token_path: /nowhere/token\n');
  });

  test('warns of an old form beside what it prints', async () => {
    const path = await file(FINE.replace('version: 1\n', ''));
    expect(await runCli(['config', '-f', path])).toEqual({
      code: 0,
      stdout: PRINTED,
      stderr: `Warning: ${path}: version is not set, and taken as 1 (add "version: 1" at the top)
Warning: ${path}: rungar config migrate --write -f ${path} brings it up to date
`,
    });
  });
});

describe('rungar config diff', () => {
  async function diff(
    after: string,
    ...flags: readonly string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    return runCli(['config', 'diff', await file(FINE, 'old.yaml'), await file(after, 'new.yaml'), ...flags]);
  }

  test('says so when nothing changes', async () => {
    expect(
      await diff(
        PRINTED.replace('export REDACTED', 'export DB_PASSWORD=hunter2').replace(
          'token: REDACTED',
          'token: not-a-real-token',
        ),
      ),
    ).toEqual({
      code: 0,
      stdout: 'no change: both mean the same\n',
      stderr: '',
    });
  });

  test('tells what a reload applies and what needs a restart', async () => {
    const after = FINE.replace('ami-0a1b2c3d', 'ami-0a1b2c3e')
      .replace('max_runners: 2', 'max_runners: 3, labels: [gpu]')
      .replace('token: not-a-real-token', 'token: another')
      .replace('version: 1', 'version: 1\nsocket: /run/x.sock\nlog_level: debug');
    const { code, stdout, stderr } = await diff(`${after}  - {name: big, max_runners: 1, providers: [ec2]}\n`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replace(/revision \w{12} -> \w{12}/, 'revision A -> B')).toBe(`A reload applies (6)
  log_level info -> debug
  github.token is another secret now
  linux: max_runners 2 -> 3
  linux: labels not set -> [gpu] (GitHub keeps the labels it has until the scale set is made anew)
  scale set big is new
  linux on ec2: runners become outdated: image (revision A -> B)
Needs a restart (1)
  socket /run/rungar/rungar.sock -> /run/x.sock
`);
  });

  test('tells of scale sets and providers that go, and of another first one', async () => {
    const other =
      '  - {name: r, type: aws, region: eu-west-1, subnets: [subnet-0a1b2c3d], runner: {image: ami-0a1b2c3d, instance_type: m7i.large}}\n';
    const both = FINE.replace(
      'scale_sets:\n',
      `${other}scale_sets:\n  - {name: lead, max_runners: 1, providers: [ec2, r]}\n`,
    );
    const old = await file(both, 'old.yaml');
    const gone = both.replace(other, '').replace('[ec2, r]', '[ec2]');
    expect((await runCli(['config', 'diff', old, await file(gone, 'new.yaml')])).stdout).toBe(`A reload applies (1)
  provider r is gone: it takes no more runners, and is let go once it has none
`);
    const withoutLead = both.replace(/.*name: lead.*\n/, '').replace('version: 1', 'version: 1\ninstallation: ci');
    expect(
      (await runCli(['config', 'diff', old, await file(withoutLead, 'new.yaml')])).stdout,
    ).toBe(`A reload applies (1)
  scale set lead is gone: its runners become leftovers
Needs a restart (2)
  installation gh-47a00949ae7d -> ci (machines of the old one are not ours any more)
  scale_sets[0].name lead -> linux (its session decides which daemon serves)
`);
    const unused = both.replace('[ec2, r]', '[ec2]');
    expect((await runCli(['config', 'diff', old, await file(unused, 'new.yaml')])).stdout).toContain(
      '  lead: does not use r any more, its runners there become outdated\n',
    );
    const used = both.replace('providers: [ec2]}', 'providers: [ec2, r]}');
    expect((await runCli(['config', 'diff', old, await file(used, 'new.yaml')])).stdout).toContain(
      '  linux: uses r too\n',
    );
    const more = both.replace('name: r,', 'name: r2,').replace('[ec2, r]', '[ec2, r2]');
    expect((await runCli(['config', 'diff', old, await file(more, 'new.yaml')])).stdout).toContain(
      '  provider r2 is new\n',
    );
  });

  test('tells what is wrong with both files', async () => {
    const wrong = await file(
      FINE.replace('max_runners: 2', 'max_runners: 0').replace('m7i.large', 'large'),
      'wrong.yaml',
    );
    const alsoWrong = await file(FINE.replace('version: 1', 'version: 9'), 'also-wrong.yaml');
    const { code, stderr } = await runCli(['config', 'diff', wrong, alsoWrong]);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(`${wrong}:`),
      expect.stringContaining(`${wrong}:`),
      `Error: ${wrong} has 2 problems`,
      expect.stringContaining(`Error: ${alsoWrong}:1:10: version: is 9`),
      '',
    ]);
    const absent = await runCli(['config', 'diff', wrong, '/nowhere/new.yaml']);
    expect([absent.code, absent.stderr.split('\n').at(-2)]).toEqual([2, expect.stringContaining('/nowhere/new.yaml')]);
    const noOld = await runCli(['config', 'diff', '/nowhere/old.yaml', wrong]);
    expect(noOld.code).toBe(1);
    expect(noOld.stderr.split('\n')).toEqual([
      'Error: there is no configuration file at /nowhere/old.yaml',
      expect.stringContaining(`${wrong}:8:50:`),
      expect.stringContaining(`${wrong}:10:32:`),
      `Error: ${wrong} has 2 problems`,
      '',
    ]);
  });

  test('prints a document for programs', async () => {
    const { code, stdout } = await diff(FINE.replace('max_runners: 2', 'max_runners: 3'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      changes: [
        { kind: 'value_changed', scale_set: 'linux', key: 'max_runners', from: '2', to: '3', applies: 'reload' },
      ],
    });
    const outdated = await diff(FINE.replace('m7i.large', 'm7i.xlarge'), '--json');
    expect(JSON.parse(outdated.stdout)).toEqual({
      changes: [
        {
          kind: 'runners_outdated',
          scale_set: 'linux',
          provider: 'ec2',
          old_revision: expect.stringMatching(/^[0-9a-f]{12}$/),
          new_revision: expect.stringMatching(/^[0-9a-f]{12}$/),
          keys: ['instance_type'],
          applies: 'reload',
        },
      ],
    });
    const added = await diff(`${FINE}  - {name: big, max_runners: 1, providers: [ec2]}\n`, '--json');
    expect(JSON.parse(added.stdout)).toEqual({
      changes: [{ kind: 'scale_set_added', scale_set: 'big', applies: 'reload' }],
    });
  });
});

describe('rungar config migrate', () => {
  const OLD = `# ours\n${FINE.replace('version: 1\n', '')}`;

  test('prints the file with its version, and what changed beside it', async () => {
    const path = await file(OLD);
    expect(await runCli(['config', 'migrate', '-f', path])).toEqual({
      code: 0,
      stdout: `version: 1\n\n${OLD}`,
      stderr: `Changed: ${path}: version is set to 1\n`,
    });
    expect(await readFile(path, 'utf8')).toBe(OLD);
  });

  test('prints a file of today as it is, and says so beside it', async () => {
    const path = await file(FINE);
    expect(await runCli(['config', 'migrate', '-f', path])).toEqual({
      code: 0,
      stdout: FINE,
      stderr: `${path}: nothing to change, it is of version 1\n`,
    });
  });

  test('replaces the file, with its mode, and leaves nothing beside it', async () => {
    const path = await file(OLD);
    await chmod(path, 0o640);
    expect(await runCli(['config', 'migrate', '-w', '-f', path])).toEqual({
      code: 0,
      stdout: `${path}: migrated to version 1 (1 change)\n`,
      stderr: `Changed: ${path}: version is set to 1\n`,
    });
    expect(await readFile(path, 'utf8')).toBe(`version: 1\n\n${OLD}`);
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
    expect(await readdir(folder)).toEqual(['config.yaml']);
  });

  test('follows a symbolic link', async () => {
    const path = await file(OLD, 'real.yaml');
    const link = join(folder, 'link.yaml');
    await symlink('real.yaml', link);
    expect((await runCli(['config', 'migrate', '--write', '-f', link])).code).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(`version: 1\n\n${OLD}`);
  });

  test('does not touch a file of today', async () => {
    const path = await file(FINE);
    const { ino, mtimeMs } = await stat(path);
    expect(await runCli(['config', 'migrate', '-w', '-f', path])).toEqual({
      code: 0,
      stdout: `${path}: nothing to change, it is of version 1\n`,
      stderr: '',
    });
    expect(await stat(path)).toMatchObject({ ino, mtimeMs });
  });

  test('does not touch a file with a mistake', async () => {
    const path = await file(OLD.replace('max_runners: 2', 'max_runners: 0'));
    const { code, stdout, stderr } = await runCli(['config', 'migrate', '-w', '-f', path]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `Error: ${path}:10:32: scale_sets[0].max_runners: must be at least 1, not 0, in scale set "linux"\n`,
    );
    expect(await readFile(path, 'utf8')).toContain('max_runners: 0');
  });
});

describe('a file that cannot be used', () => {
  const commands = (path: string, fine: string): string[][] => [
    ['config', '-f', path],
    ['config', 'diff', path, fine],
    ['config', 'diff', fine, path],
    ['config', 'migrate', '-f', path],
  ];

  test('ends with 1 when it is not there', async () => {
    const path = join(folder, 'nowhere.yaml');
    for (const command of commands(path, await file(FINE))) {
      const { code, stdout, stderr } = await runCli(command);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`there is no configuration file at ${path}`);
    }
  });

  test('ends with 2 when it says something wrong, each mistake on a line', async () => {
    const path = await file(FINE.replace('max_runners: 2', 'max_runners: 0, min_runnerz: 1'), 'wrong.yaml');
    for (const command of commands(path, await file(FINE))) {
      const { code, stdout, stderr } = await runCli(command);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.split('\n')).toEqual([
        expect.stringContaining(`${path}:10:32: scale_sets[0].max_runners: must be at least 1, not 0`),
        expect.stringContaining('did you mean min_runners?'),
        `Error: ${path} has 2 problems`,
        '',
      ]);
    }
  });

  test('ends with 2 when it is no text', async () => {
    const path = join(folder, 'bad.yaml');
    await writeFile(path, Buffer.from([0x61, 0xff]));
    for (const command of commands(path, await file(FINE))) {
      const { code, stderr } = await runCli(command);
      expect([code, stderr]).toEqual([2, `Error: ${path}:1:2: the file is not UTF-8 text (save it as UTF-8)\n`]);
    }
  });
});

describe('wrong usage is one line and ends with 64', () => {
  test.each([
    [['diff'], 'config diff needs OLD and NEW, two configuration files'],
    [['diff', 'a'], 'config diff needs OLD and NEW, two configuration files'],
    [['diff', 'a', ''], 'config diff needs the names of two files'],
    [['diff', 'a', 'b', '-f', 'c'], 'config diff takes no --config'],
    [['diff', 'a', 'b', '--effective'], 'config diff takes no --effective'],
    [['diff', 'a', 'b', '-w'], 'config diff takes no --write'],
    [['migrate', 'a'], 'config migrate takes no "a"'],
    [['migrate', '--json'], 'config migrate takes no --json'],
    [['--write'], 'config takes no --write'],
  ])('rungar config %j', async (args, message) => {
    expect(await runCli(['config', ...args])).toEqual({
      code: 64,
      stdout: '',
      stderr: `Error: ${message}. See \`rungar config --help\`.\n`,
    });
  });

  test('an unknown action is told with the nearest one', async () => {
    const { code, stderr } = await runCli(['config', 'migrat']);
    expect([code, stderr]).toEqual([
      64,
      'Error: <action> must be one of diff, init, migrate, schema, not "migrat" (did you mean migrate?). See `rungar config --help`.\n',
    ]);
  });
});
