import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@rungar/emulators';
import { type Ec2Emulator, startEc2Emulator } from '@rungar/emulators/aws';
import { type EmulatedApp, type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { systemClock } from '@rungar/model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../test/world.js';
import { StopRequest } from '../exit.js';
import type { ValidateAnswer } from './validate-report.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-validate-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'config.yaml');
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
    runner: {image: ami-0a1b2c3d, instance_type: m7i.large}
scale_sets:
  - {name: linux, max_runners: 2, providers: [ec2]}
`;

const answerOf = (stdout: string): ValidateAnswer => JSON.parse(stdout) as ValidateAnswer;

describe('a file that is fine', () => {
  test('is said to be valid, with what is in it', async () => {
    const path = await file(FINE);
    expect(await runCli(['validate', '-f', path])).toEqual({
      code: 0,
      stdout: `${path}: valid (1 provider, 1 scale set)\n`,
      stderr: '',
    });
  });

  test('is a document without problems', async () => {
    const path = await file(FINE);
    const { code, stdout, stderr } = await runCli(['validate', '-f', path, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(answerOf(stdout)).toEqual({ valid: true, file: path, providers: 1, scale_sets: 1, problems: [] });
  });

  test('may have warnings, and be told how to lose an old form', async () => {
    const path = await file(FINE.replace('version: 1\n', '').replace(/scale_sets:[\s\S]*/, ''));
    const { code, stdout, stderr } = await runCli(['validate', '-f', path]);
    expect(code).toBe(0);
    expect(stdout).toBe(`${path}: valid (1 provider, 0 scale sets)\n`);
    expect(stderr.split('\n')).toEqual([
      `Warning: ${path}:1:1: scale_sets: is empty: no runners will be created`,
      `Warning: ${path}: version is not set, and taken as 1 (add "version: 1" at the top)`,
      `Warning: ${path}: rungar config migrate --write -f ${path} brings it up to date`,
      '',
    ]);
  });
});

describe('a file with mistakes', () => {
  const WRONG = FINE.replace('m7i.large', 'large')
    .replace('max_runners: 2', 'max_runners: 0')
    .replace('token: not-a-real-token', 'token_path: /nowhere/token');

  test('says each on a line, in order, files included, and ends with 2', async () => {
    const path = await file(WRONG);
    const { code, stdout, stderr } = await runCli(['validate', '-f', path]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(`${path}:2:52: github.token_path: the token cannot be read:`),
      expect.stringMatching(
        /:8:50: scale_sets\[0\]\.providers\[0\]\.runner\.instance_type: must be an instance type like m7i\.xlarge, not large, on provider "ec2", in scale set "linux"$/,
      ),
      expect.stringContaining(`${path}:10:32: scale_sets[0].max_runners: must be at least 1, not 0`),
      `Error: ${path} has 3 problems`,
      '',
    ]);
  });

  test('is not to be migrated, which would be refused', async () => {
    const { code, stderr } = await runCli(['validate', '-f', await file('')]);
    expect(code).toBe(2);
    expect(stderr).toContain('version is not set, and taken as 1 (add "version: 1" at the top)');
    expect(stderr).not.toContain('config migrate');
  });

  test('is a document with all of them, and ends with 2', async () => {
    const path = await file(WRONG);
    const { code, stdout, stderr } = await runCli(['validate', '--json', '-f', path]);
    expect([code, stderr]).toEqual([2, '']);
    const { problems, ...rest } = answerOf(stdout);
    expect(rest).toEqual({ valid: false, file: path, providers: 1, scale_sets: 1 });
    expect(problems.map(({ line }) => line)).toEqual([2, 8, 10]);
    expect(problems[2]).toEqual({
      severity: 'error',
      kind: 'file',
      file: path,
      line: 10,
      column: 32,
      path: 'scale_sets[0].max_runners',
      value: '0',
      message: 'must be at least 1, not 0, in scale set "linux"',
    });
  });

  test('tells where a value is used that an anchor brought', async () => {
    const path = await file(
      FINE.replace('runner: {', 'runner: &r {')
        .replace('m7i.large', 'large')
        .replace('providers: [ec2]', 'providers: [{name: ec2, runner: *r}]'),
    );
    const { stdout } = await runCli(['validate', '--json', '-f', path]);
    expect(answerOf(stdout).problems).toMatchObject([{ line: 8, column: 53, used_line: 10, used_column: 67 }]);
  });

  test('shows no token, wherever it stands', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const path = await file(FINE.replace('2}', `${token}}`).replace('max_runners', `"${token}": 1, max_runners`));
    for (const form of [[], ['--json']]) {
      const { code, stdout, stderr } = await runCli(['validate', '-f', path, ...form]);
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('REDACTED');
      expect(stdout + stderr).not.toContain(token);
    }
  });
});

describe('a file that cannot be read', () => {
  test.each([[[]], [['--json']]])('ends with 1 and a line on stderr %j', async (form) => {
    const path = join(folder, 'none.yaml');
    const { code, stdout, stderr } = await runCli(['validate', '-f', path, ...form]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`Error: there is no configuration file at ${path}`);
  });
});

describe('for the Go daemon', () => {
  test('a file without additions is fine', async () => {
    const { code, stdout } = await runCli(['validate', '--for-go', '-f', await file(FINE)]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('valid')]);
  });

  test('an addition is an error of its own kind, at its key', async () => {
    const path = await file(FINE.replace('type: aws', 'type: aws\n    endpoint_url: http://127.0.0.1:4566'));
    expect((await runCli(['validate', '-f', path])).code).toBe(0);
    const text = await runCli(['validate', '--for-go', '-f', path]);
    expect([text.code, text.stderr]).toEqual([
      2,
      `Error: ${path}:6:5: providers[0].endpoint_url: is an addition of Rungar for Node: the Go daemon refuses a file with this key (take it away for the Go daemon)\n`,
    ]);
    const { code, stdout } = await runCli(['validate', '--for-go', '--json', '-f', path]);
    expect(code).toBe(2);
    expect(answerOf(stdout)).toMatchObject({ valid: false, problems: [{ kind: 'addition', line: 6, column: 5 }] });
  });
});

describe('online', () => {
  let github: GitHubEmulator;
  let ec2: Ec2Emulator;
  let app: EmulatedApp;
  beforeAll(async () => {
    github = await startGitHubEmulator({ scopes: ['acme'], runnerGroups: ['Fast'] });
    ec2 = await startEc2Emulator();
    app = await github.createApp();
  });
  afterEach(() => github.clearFaults());
  afterAll(() => Promise.all([github.close(), ec2.close()]));

  async function world(change: (text: string) => string = (text) => text): Promise<string> {
    const { accessKeyId, secretAccessKey } = ec2.credentials;
    const keys = join(folder, 'aws');
    await writeFile(
      keys,
      `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    );
    await writeFile(join(folder, 'app.pem'), app.privateKey, { mode: 0o600 });
    return file(
      change(`version: 1
github:
  url: ${github.configUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${join(folder, 'app.pem')}
providers:
  - name: cloud
    type: aws
    region: ${ec2.region}
    endpoint_url: ${ec2.url}
    credentials_file: ${keys}
    subnets: [${ec2.catalogue.subnets[0]?.id}]
    runner: {image: ${ec2.catalogue.images[0]?.id}, instance_type: m5.large}
scale_sets:
  - {name: linux, runner_group: Default, labels: [gpu], max_runners: 2, providers: [cloud]}
`),
    );
  }

  async function problems(path: string, code: number): Promise<readonly string[]> {
    const ran = await runCli(['validate', '--online', '--json', '-f', path]);
    expect([ran.code, ran.stderr]).toEqual([code, '']);
    return answerOf(ran.stdout).problems.map(
      ({ line, column, severity, kind, path: key, message }) =>
        `${line}:${column} ${severity} ${kind} ${key} ${message}`,
    );
  }

  test('a file that names what is there is fine, and nothing was changed', async () => {
    expect(await problems(await world(), 0)).toEqual([]);
    expect(github.scaleSets()).toEqual([]);
    expect(ec2.instances()).toEqual([]);
  });

  test('a runner group that is not there is named at its key', async () => {
    const path = await world((text) => text.replace('runner_group: Default', 'runner_group: Slow'));
    expect(await problems(path, 2)).toEqual([
      '16:33 error online scale_sets[0].runner_group is refused: there is no runner group "Slow", in scale set "linux"',
    ]);
  });

  test('a scale set with other labels is warned of, with both lists', async () => {
    const { id } = github.addScaleSet({ name: 'linux', labels: ['linux', 'arm'] });
    expect(await problems(await world(), 0)).toEqual([
      '16:50 warning online scale_sets[0].labels are ["linux", "gpu"] here and ["linux", "arm"] on GitHub, in scale set "linux"',
    ]);
    expect(
      await problems(await world((text) => text.replace('runner_group: Default', 'runner_group: Fast')), 0),
    ).toEqual([
      expect.stringContaining('runner_group stands in the runner group "Default" of GitHub, and not in "Fast"'),
    ]);
    github.purgeScaleSet(id);
  });

  test('an App that is not installed there is named', async () => {
    const path = await world((text) =>
      text.replace(`app_installation_id: ${app.installationId}`, 'app_installation_id: 99'),
    );
    expect(await problems(path, 2)).toEqual([
      expect.stringMatching(/^5:24 error online github\.app_installation_id is refused: /),
    ]);
  });

  test('a token that is refused is named, and not shown', async () => {
    const path = await world((text) =>
      text.replace(/ {2}app_client_id[\s\S]*app\.pem\n/, '  token: no-such-token-of-anybody\n'),
    );
    const said = await problems(path, 2);
    expect(said).toEqual([expect.stringMatching(/^4:10 error online github\.token is refused: /)]);
    expect(said.join()).not.toContain('no-such-token-of-anybody');
  });

  test('an image that is not there is named in the block it stands in', async () => {
    const path = await world((text) => text.replace(/image: ami-\w+/, 'image: ami-00000000'));
    expect(await problems(path, 2)).toEqual([
      expect.stringMatching(/^14:21 error online providers\[0\]\.runner\.image .*ami-00000000.*on provider "cloud"$/),
    ]);
  });

  test('who does not answer is said as such, and hides nobody else', async () => {
    const path = await world((text) =>
      text
        .replace(/endpoint_url: .*/, 'endpoint_url: http://127.0.0.1:1')
        .replace('runner_group: Default', 'runner_group: Slow'),
    );
    expect(await problems(path, 2)).toEqual([
      expect.stringMatching(/^8:11 warning unreachable providers\[0\] the provider "cloud" could not be asked: /),
      expect.stringContaining('there is no runner group "Slow"'),
    ]);
    const alone = await world((text) => text.replace(/endpoint_url: .*/, 'endpoint_url: http://127.0.0.1:1'));
    expect(await problems(alone, 5)).toHaveLength(1);
  });

  test('a token that may not manage runners is named', async () => {
    const token = github.createToken({ canManageRunners: false });
    const path = await world((text) => text.replace(/ {2}app_client_id[\s\S]*app\.pem\n/, `  token: ${token}\n`));
    const said = await problems(path, 2);
    expect(said).toEqual([expect.stringMatching(/^4:10 error online github\.token is refused: GitHub answered 403 /)]);
    expect(said.join()).not.toContain(token);
  });

  test('a clock that is an hour off is warned of, and stops nothing', async () => {
    const early = await startGitHubEmulator({
      scopes: ['acme'],
      clock: manualClock(systemClock.wallNow() - 3_600_000),
    });
    const token = early.createToken();
    const path = await world((text) =>
      text
        .replace(github.configUrl, early.configUrl)
        .replace(/ {2}app_client_id[\s\S]*app\.pem\n/, `  token: ${token}\n`),
    );
    expect(await problems(path, 0)).toEqual([
      expect.stringMatching(
        /^3:8 warning online github\.url answers with another time: .* is 1h0m\ds ahead of GitHub's$/,
      ),
    ]);
    await early.close();
  });

  test('is ended by Ctrl-C', async () => {
    github.setFault({ operation: '*', kind: 'hang' });
    const stop = new AbortController();
    const path = await world();
    const forget = ec2.on('call', () => stop.abort(new StopRequest('SIGINT')));
    expect(await runCli(['validate', '--online', '-f', path], { signal: stop.signal })).toEqual({
      code: 130,
      stdout: '',
      stderr: '',
    });
    forget();
  });
});
