import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { providerTypes } from '@rungar/providers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ran, runCli } from '../../test/world.js';
import { TYPE_QUESTIONS } from '../init/questions.js';

let root = '';
let folder = '';
let file = '';
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rungar-init-'));
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, `${count++}-`));
  file = join(folder, 'config.yaml');
});
afterAll(() => rm(root, { recursive: true }));

const APP = ['--app-client-id', 'Iv23x', '--app-installation-id', '4711', '--app-private-key-path', '/etc/app.pem'];
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  aws: ['--region', 'eu-west-1', '--subnets', 'subnet-0a1b2c3d, subnet-1a1b2c3d', '--instance-type', 'm7i.large'],
  dicer: ['--address', 'rack-1:7443', '--image', 'r:2', '--vcpus', '2', '--memory', '4GiB'],
  gcp: ['--project', 'my-project', '--zones', 'europe-west1-b', '--machine-type', 'e2-standard-4', '--image', 'i'],
  proxmox: [
    '--api-url',
    'https://pve:8006',
    '--token-id',
    'a@pve!b',
    '--token-secret-path',
    '/t',
    '--template',
    '9000',
  ],
};
const REST: Readonly<Record<string, readonly string[]>> = {
  aws: ['--image', 'ami-0a1b2c3d'],
  proxmox: ['--cores', '2', '--memory', '4GiB'],
};
const flagsOf = (type: string): readonly string[] => [
  ...['--url', 'https://github.com/acme', ...APP, '--type', type],
  ...(FLAGS[type] ?? []),
  ...(REST[type] ?? []),
];

const init = (...flags: readonly string[]): Promise<Ran> => runCli(['config', 'init', '-f', file, ...flags]);

/** Runs it on a terminal, where these lines are typed. */
function typed(lines: readonly string[], ...flags: readonly string[]): Promise<Ran> {
  let stderr = '';
  const stdin = Object.assign(Readable.from([`${lines.join('\n')}\n`]), { isTTY: true });
  const screen = { write: (text: string) => (stderr += text), isTTY: true };
  return runCli(['config', 'init', '-f', file, ...flags], { stdin, stderr: screen }).then((ran) => ({
    ...ran,
    stderr,
  }));
}

test('every type of provider can be asked for', () => {
  expect(Object.keys(TYPE_QUESTIONS).sort()).toEqual(providerTypes.map(({ type }) => type).sort());
});

describe('with flags', () => {
  test.each(['aws', 'dicer', 'gcp', 'proxmox'])('a configuration of type %s is written, and is valid', async (type) => {
    expect(await init(...flagsOf(type))).toEqual({
      code: 0,
      stdout: `wrote ${file}\nwrote ${join(folder, 'rungar.schema.json')}\nnext: rungar validate -f ${file}\n`,
      stderr: '',
    });
    const { code, stdout, stderr } = await runCli(['config', '-f', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('url: https://github.com/acme');
    expect(stdout).toContain(`name: ${type}\n    type: ${type}`);
    expect(stdout).toContain('name: linux');
    expect(stdout).toContain('max_runners: 10');
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/rungar\.schema\.json\n/);
    expect(text.split('\n').filter((line) => /^ *# /.test(line)).length).toBeGreaterThan(12);
    expect((await stat(file)).mode & 0o7777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(['config.yaml', 'rungar.schema.json']);
  });

  test('a token, names of your own, and words that YAML would misread', async () => {
    const flags = ['--url', 'https://github.com/enterprises/acme', '--token-path', '/etc/my token', '--type', 'dicer'];
    const names = ['--provider', 'null', '--scale-set', 'big', '--max-runners', '3'];
    expect((await init(...flags, ...names, ...(FLAGS.dicer ?? []))).code).toBe(0);
    const { code, stdout } = await runCli(['config', '-f', file]);
    expect(code).toBe(0);
    expect(stdout).toContain('token_path: /etc/my token');
    expect(stdout).toContain('name: "null"');
    expect(stdout).toContain('name: big');
    expect(stdout).toContain('max_runners: 3');
  });

  test('every flag that is missing is named at once, with the whole command', async () => {
    expect(await init('--url', 'https://github.com/acme', '--type', 'aws', '--region', 'eu-west-1')).toEqual({
      code: 64,
      stdout: '',
      stderr:
        'Error: config init needs --app-client-id, --app-installation-id, --app-private-key-path, --subnets, ' +
        `--instance-type, --image. For example: \`rungar config init -f ${file} --url https://github.com/acme ` +
        '--app-client-id Iv23liEXAMPLE --app-installation-id 4711 --app-private-key-path /etc/rungar/app.pem ' +
        '--type aws --region eu-west-1 --subnets subnet-0a1b2c3d4e5f60718 --instance-type m7i.large ' +
        '--image ami-0a1b2c3d4e5f60718`.\n',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('the command that is shown works', async () => {
    const { stderr } = await init('--type', 'proxmox');
    const command = /`rungar (.*)`/.exec(stderr)?.[1]?.split(' ') ?? [];
    expect((await runCli(command)).code).toBe(0);
  });

  test('every flag that is wrong is told at once, as a check of the file would tell it', async () => {
    const flags = flagsOf('aws').map((flag) => (flag === 'eu-west-1' ? 'frankfurt' : flag === '4711' ? 'x' : flag));
    expect(await init(...flags)).toEqual({
      code: 64,
      stdout: '',
      stderr:
        '--app-installation-id must be a whole number, not x\n' +
        '--region must be a region like eu-central-1, not frankfurt, on provider "aws"\n' +
        'Error: 2 flags cannot be used. See `rungar config init --help`.\n',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    [['--zones', 'europe-west1-b'], '--zones does not go with --type aws and these credentials'],
    [['--provider', ''], '--provider is empty'],
    [['--max-runners', '0'], '--max-runners must be at least 1, not 0, in scale set "linux"'],
    [['--max-runners', '5 # many'], '--max-runners must be a whole number, not "5 # many", in scale set "linux"'],
    [['--scale-set', 'a_b'], "--scale-set cannot be part of a runner's name"],
  ])('%j', async (flags, message) => {
    const { code, stderr } = await init(...flagsOf('aws'), ...flags);
    expect(code).toBe(64);
    expect(stderr).toContain(`Error: ${message}`);
  });

  test('flags of the other config commands are none of its own', async () => {
    expect(await init('--effective')).toMatchObject({
      code: 64,
      stderr: 'Error: unknown flag --effective. See `rungar config init --help`.\n',
    });
  });
});

describe('a file that is there', () => {
  test('stays', async () => {
    await writeFile(file, 'mine');
    const { code, stderr } = await init(...flagsOf('aws'));
    expect([code, stderr]).toEqual([
      1,
      `Error: ${file} is there already. Name another file with -f, or add --force.\n`,
    ]);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('stays also when it is a link that leads nowhere', async () => {
    await symlink('nowhere', file);
    expect((await init(...flagsOf('aws'))).code).toBe(1);
  });

  test('is replaced with --force, in its mode, and a schema beside it stays', async () => {
    await writeFile(file, 'old', { mode: 0o600 });
    await writeFile(join(folder, 'rungar.schema.json'), 'mine');
    expect((await init(...flagsOf('aws'), '--force')).stdout).toBe(`wrote ${file}\nnext: rungar validate -f ${file}\n`);
    expect(await readFile(file, 'utf8')).toContain('version: 1');
    expect((await stat(file)).mode & 0o7777).toBe(0o600);
    expect(await readFile(join(folder, 'rungar.schema.json'), 'utf8')).toBe('mine');
  });

  test('a folder that is not there is named', async () => {
    file = join(folder, 'none', 'config.yaml');
    const { code, stderr } = await init(...flagsOf('aws'));
    expect(code).toBe(1);
    expect(stderr).toContain(`Make the folder ${join(folder, 'none')} first`);
  });
});

describe('on a terminal', () => {
  test('it asks, takes defaults, and writes what was typed', async () => {
    const answers = ['https://github.com/acme', '', 'Iv1', '4711', '/etc/app.pem', 'gcp', ''];
    const { code, stderr } = await typed([
      ...answers,
      'my-project',
      'europe-west1-b',
      'e2-standard-4',
      'i',
      'small',
      '4',
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('The organisation, repository or enterprise to serve\n  like https://github.com/my-org: ');
    expect(stderr).toContain('\n  app, token [app]: ');
    const { stdout } = await runCli(['config', '-f', file]);
    for (const line of ['project: my-project', '- europe-west1-b', 'image: i', 'name: small', 'max_runners: 4'])
      expect(stdout).toContain(line);
  });

  test('an answer that would be refused is asked for again, with the reason', async () => {
    const wrong = ['github.com', 'https://github.com/acme', 'apple', 'app', 'Iv1', 'x', '4711', '', '/etc/app.pem'];
    const { code, stderr } = await typed([
      ...wrong,
      'dicer',
      'd',
      'nowhere',
      'unix:///s',
      'r',
      '0',
      '2',
      '1MiB',
      '1GiB',
      '',
      '',
    ]);
    expect(code).toBe(0);
    for (const reason of [
      '  must be one of https://HOST/ORGANISATION,',
      '  must be one of app, token\n',
      '  must be a whole number, not x\n',
      '  there is no answer that could be guessed\n',
      '  must be at least 1, not 0',
      '  must be at least 128MiB',
    ])
      expect(stderr).toContain(reason);
    expect((await runCli(['config', '-f', file])).code).toBe(0);
  });

  test('an App is refused for an enterprise, where there can be none', async () => {
    const { code, stderr } = await typed([
      'https://github.com/enterprises/acme',
      'app',
      'token',
      '/t',
      'dicer',
      '',
      'unix:///s',
      'r',
      '2',
      '1GiB',
      '',
      '',
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('  is an enterprise, where GitHub allows no App');
  });

  test('what a flag says is not asked, unless it is wrong', async () => {
    const flags = flagsOf('aws').map((flag) => (flag === 'eu-west-1' ? 'frankfurt' : flag));
    const { code, stderr } = await typed(['', '', 'eu-west-1', '', ''], ...flags);
    expect(code).toBe(0);
    expect(stderr.match(/^ {2}(?:like|must).*$/gm)).toEqual([
      '  like aws [aws]:   must be a region like eu-central-1, not frankfurt, on provider "aws"',
      '  like eu-central-1: The name workflows ask for in runs-on',
      '  like linux [linux]: The most runners at any time',
      '  like 10 [10]: ',
    ]);
  });

  test('nothing is written when the input ends', async () => {
    const { code, stderr } = await typed(['https://github.com/acme']);
    expect(code).toBe(1);
    expect(stderr).toContain('the input ended before the last question');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('rungar config schema', () => {
  test('prints the schema', async () => {
    const { code, stdout, stderr } = await runCli(['config', 'schema']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' });
  });

  test('writes it to a file, and replaces one', async () => {
    const path = join(folder, 'schema.json');
    const { stdout: schema } = await runCli(['config', 'schema']);
    expect(await runCli(['config', 'schema', '--output', path])).toEqual({
      code: 0,
      stdout: `wrote ${path}\n`,
      stderr: '',
    });
    await writeFile(path, 'old');
    expect((await runCli(['config', 'schema', '-o', path])).code).toBe(0);
    expect(await readFile(path, 'utf8')).toBe(schema);
    expect(await readdir(folder)).toEqual(['schema.json']);
  });

  test.each([
    [['-o', ''], 64],
    [['-o', '/nowhere/at/all'], 1],
    [['--json'], 64],
    [['extra'], 64],
  ])('%j ends with %i', async (args, expected) => {
    const { code, stderr } = await runCli(['config', 'schema', ...args]);
    expect([code, stderr.split('\n').length]).toEqual([expected, 2]);
  });
});
