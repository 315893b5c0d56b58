import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { documentedPoolText, readAsYaml11 } from '../../test/documented.js';
import { runProgram } from '../../test/world.js';
import { flagsOf } from '../command.js';
import { commands } from './index.js';

const MINIMAL = [
  '--endpoint',
  'git@github.com:acme/release-mailbox.git',
  '--image',
  'registry.example.com/release/worker:1',
  '--no-network-policy',
];
const DOCUMENTED = [...MINIMAL, '--pod-security', 'documented', '--script', 'documented', '--no-extras'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dispat-generate-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('generate', () => {
  test('A01: writes the documented manifest to standard output, and what to do next to standard error', async () => {
    const { code, stdout, stderr } = await runProgram(['generate', ...DOCUMENTED]);
    expect(code).toBe(0);
    expect(readAsYaml11(stdout)).toStrictEqual(readAsYaml11(documentedPoolText));
    expect(stderr).toContain('1. kubectl apply -f FILE\n2. dispat release\n');
  });

  test('A04: --format json holds the same objects as a List, and the same command gives the same bytes', async () => {
    const yaml = await runProgram(['generate', ...MINIMAL]);
    const json = await runProgram(['generate', ...MINIMAL, '--format', 'json']);
    expect(JSON.parse(json.stdout).items).toStrictEqual(
      parseAllDocuments(yaml.stdout).map((document) => document.toJS()),
    );
    expect((await runProgram(['generate', ...MINIMAL])).stdout).toBe(yaml.stdout);
  });

  test('A05: what is refused leaves standard output empty and no file', async () => {
    const file = join(folder, 'out.yaml');
    const args = ['generate', ...MINIMAL, '--task-timeout', '7200', '--grace-period', '600'];
    const refused = await runProgram([...args, '--output', file]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Error: GRACE_TOO_SHORT gracePeriod: found 600 s;');
    expect(existsSync(file)).toBe(false);
    const json = await runProgram([...args, '--format', 'json']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(json.stderr).problems[0]).toEqual({
      code: 'GRACE_TOO_SHORT',
      severity: 'error',
      at: 'gracePeriod',
      found: '600 s',
      allowed: expect.any(String),
      fix: expect.any(String),
    });
  });

  test('takes a file, and flags over it', async () => {
    const file = join(folder, 'pool.yaml');
    writeFileSync(file, 'endpoint: git@h:r\nimage: x:1\ncount: 2\npolicyKind: none\n');
    const { stdout } = await runProgram([
      'generate',
      '--config',
      file,
      '--count',
      '3',
      '--quiet',
      '--no-create-namespace',
    ]);
    expect(parse(stdout)).toMatchObject({ kind: 'Job', spec: { completions: 3 } });
    const piped = await runProgram(['generate', '--config', '-', '--quiet'], { input: readFileSync(file, 'utf8') });
    expect(piped.stdout).toContain('completions: 2\n');
  });

  test('takes its own flags from the file too', async () => {
    const file = join(folder, 'pool.yaml');
    const out = join(folder, 'out');
    writeFileSync(
      file,
      `endpoint: git@h:r\nimage: x:1\npolicyKind: none\noutputDir: ${out}\nsecretStub: ${join(folder, 'stub.txt')}\n`,
    );
    expect(await runProgram(['generate', '--config', file, '--quiet'])).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(out)).toContain('kustomization.yaml');
    expect(readFileSync(join(folder, 'stub.txt'), 'utf8')).toContain('kind: Secret');
    // They are flags of generate alone.
    const other = await runProgram(['orchestrator', '--config', file, '--format', 'json']);
    expect(JSON.parse(other.stderr).problems[0]).toMatchObject({
      code: 'CONFIG_UNKNOWN_KEY',
      at: 'secretStub',
      place: { line: 5, column: 1 },
    });
  });

  test('tells what is wrong with its own flags and with the pool at once, and what is wrong with the file once', async () => {
    const file = join(folder, 'pool.yaml');
    writeFileSync(file, 'endpoint: http://h/r\ncuont: 3\n');
    const ran = await runProgram(['orchestrator', '--config', file, '--as', 'flag', '--format', 'json']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const problems: { code: string; at: string; fix: string }[] = JSON.parse(ran.stderr).problems;
    expect(problems.map(({ code, at }) => `${code} ${at}`).sort()).toEqual([
      'CONFIG_UNKNOWN_KEY cuont',
      'EGRESS_MISSING egress',
      'ENDPOINT_INVALID endpoint',
      'OPTION_INVALID as',
      'OPTION_MISSING image',
    ]);
    expect(problems.find(({ at }) => at === 'cuont')?.fix).toBe('did you mean count?');
    expect(problems.find(({ at }) => at === 'as')?.fix).toBe('did you mean flags?');
  });

  test.each([
    ['- a', 'a list'],
    ['pool', 'a single value'],
  ])('a file of options that is no mapping is refused: %s', async (text, found) => {
    for (const args of [['generate'], ['size', '--plan', '-'], ['demand']]) {
      const ran = await runProgram([...args, '--config', '-', '--format', 'json'], { input: text });
      expect(ran.code).toBe(2);
      expect(JSON.parse(ran.stderr).problems).toContainEqual(
        expect.objectContaining({ code: 'DOCUMENT_NOT_OBJECT', at: 'standard input', found }),
      );
    }
  });

  test('reads an options file of more than a mebibyte, and none of more than 10', async () => {
    const file = join(folder, 'pool.yaml');
    const options = 'endpoint: git@h:r\nimage: x:1\npolicyKind: none\n';
    writeFileSync(file, `${options}# ${'x'.repeat(2 * 1024 * 1024)}\n`);
    expect((await runProgram(['generate', '--config', file])).code).toBe(0);
    writeFileSync(file, `${options}# ${'x'.repeat(10 * 1024 * 1024)}\n`);
    expect((await runProgram(['generate', '--config', file])).stderr).toContain('INPUT_TOO_LARGE');
  });

  test('holds the pool against the configuration of its orchestrator', async () => {
    const config = join(folder, 'dispat.yaml');
    writeFileSync(config, 'runOnly: [both, worker]\nexecution: {workers: [{name: w-0, endpoint: "git@h:x.git"}]}\n');
    const other = await runProgram(['generate', ...MINIMAL, '--dispat-config', config]);
    expect(other.code).toBe(0);
    expect(other.stderr).toContain('REDACTED@h:x.git for w-0 in the configuration');
    const spot = ['--node-selector', 'karpenter.sh/capacity-type=spot'];
    const refused = await runProgram(['generate', ...MINIMAL, ...spot, '--dispat-config', config]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Error: OPTIONS_CONFLICT nodeSelector');
  });

  test('a file that cannot be read is exit 5', async () => {
    const { code, stderr } = await runProgram(['generate', '--config', join(folder, 'none.yaml')]);
    expect(code).toBe(5);
    expect(stderr).toContain('CONFIG_NOT_READABLE');
  });

  test.each([
    [['--cuont', '4'], 'Error: unknown flag --cuont: did you mean --count?\n'],
    [['--foo-bar', '-z'], 'Error: unknown flags --foo-bar, -z: see `dispat-worker-manifest generate --help`\n'],
    [['extras'], 'Error: a word too many: extras: see `dispat-worker-manifest generate --help`\n'],
    [['--count', '2', '--count', '3'], 'Error: --count more than once: see `dispat-worker-manifest generate --help`\n'],
    [['--count'], 'Error: --count without a value: see `dispat-worker-manifest generate --help`\n'],
    [['--format', 'xml'], 'Error: --format "xml"; it takes "yaml", "json": see'],
  ])('a bad command line is exit 2: %j', async (more, said) => {
    const { code, stdout, stderr } = await runProgram(['generate', ...MINIMAL, ...more]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  test.each([
    [['genrate', '--count', '4'], 'Error: unknown command genrate: did you mean generate?\n'],
    [['frobnicate'], 'Error: unknown command frobnicate: see `dispat-worker-manifest --help`\n'],
    [['--foo'], 'Error: unknown flag --foo: see `dispat-worker-manifest --help`\n'],
  ])('a command that nobody knows is told from a flag: %j', async (args, said) => {
    expect(await runProgram(args)).toMatchObject({ code: 2, stdout: '', stderr: said });
  });

  test('--output-dir writes a base for kustomize, and --secret-stub stays out of it', async () => {
    const { code } = await runProgram(['generate', ...MINIMAL, '--output-dir', folder, '--secret-stub', '--quiet']);
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([
      'job-dispat-workers.yaml',
      'kustomization.yaml',
      'namespace-release.yaml',
      'secret-stub.yaml.txt',
    ]);
  });

  test('--output-dir tells which files an earlier set left there, and leaves them', async () => {
    const generateInto = (...flags: string[]) =>
      runProgram(['generate', ...MINIMAL, '--output-dir', folder, '--quiet', ...flags]);
    writeFileSync(join(folder, 'job-mine.yaml'), 'kind: Job\n');
    expect((await generateInto('--name', 'old')).stderr).not.toContain('earlier set');
    expect((await generateInto('--name', 'old')).stderr).not.toContain('earlier set');
    const { code, stderr } = await generateInto('--name', 'new');
    expect(code).toBe(0);
    expect(stderr).toContain('found job-old.yaml, which an earlier set left');
    expect(stderr).not.toContain('mine');
    expect(stderr).not.toContain('namespace-');
    expect(existsSync(join(folder, 'job-old.yaml'))).toBe(true);
    expect((await generateInto('--name', 'new', '--format', 'json')).stderr).toContain(
      'job-new.yaml, job-old.yaml, namespace-release.yaml',
    );
  });

  test('when one of several files cannot be written, none is', async () => {
    const out = join(folder, 'pool.yaml');
    const { code, stderr } = await runProgram([
      ...['generate', ...MINIMAL, '--output', out, '--secret-stub', join(folder, 'none', 'stub.yaml')],
    ]);
    expect({ code, names: readdirSync(folder) }).toEqual({ code: 5, names: [] });
    expect(stderr).toContain('OUTPUT_NOT_WRITABLE');
    const twice = await runProgram(['generate', ...MINIMAL, '--output', out, '--secret-stub', out]);
    expect({ code: twice.code, names: readdirSync(folder) }).toEqual({ code: 2, names: [] });
    expect(twice.stderr).toContain('OPTIONS_CONFLICT');
  });

  test('--secret-stub goes to standard error or to a file, never among the manifests', async () => {
    const file = join(folder, 'stub.yaml');
    const beside = await runProgram(['generate', ...MINIMAL, '--secret-stub', '--quiet']);
    expect(beside.stderr).toContain('kind: Secret');
    expect(beside.stdout).not.toContain('kind: Secret');
    await runProgram(['generate', ...MINIMAL, '--secret-stub', file]);
    expect(readFileSync(file, 'utf8')).toContain('kind: Secret');
  });

  test('list flags take one value each, and may be repeated', async () => {
    const { stdout } = await runProgram([
      'generate',
      ...MINIMAL,
      '--env',
      'A=1',
      '--env',
      'B=x=y',
      '--platform',
      'linux/arm64',
    ]);
    expect(stdout).toContain('- name: B\n              value: "x=y"\n');
    expect(stdout).toContain('kubernetes.io/arch: arm64\n');
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

describe.skipIf(!hasKubectl)('kubectl, which this machine needs to have for these', () => {
  const kubectl = (args: readonly string[], input = ''): string =>
    execFileSync('kubectl', args, { input, encoding: 'utf8' });

  test('A14, A15: reads the same objects as were meant', async () => {
    const args = [
      'generate',
      ...MINIMAL,
      '--run-id',
      '1e3',
      '--node-selector',
      'fast=yes',
      '--env',
      'ODD=a$(B)\t"\\\u00e4',
      '--ssh-mode',
      '0400',
    ];
    const { stdout } = await runProgram(args);
    const [, text = ''] = stdout.split('---\n');
    const seen = kubectl(
      ['label', '--local', '-f', '-', '-o', 'json', '--dry-run=client', 'seen=true', '--overwrite'],
      text,
    );
    const { metadata, spec } = JSON.parse(seen);
    const meant = parse(text);
    expect(spec).toStrictEqual(meant.spec);
    expect(metadata.labels).toStrictEqual({ ...meant.metadata.labels, seen: 'true' });
    expect(metadata.labels['dispat.dev/run']).toBe('1e3');
    expect(spec.template.spec.volumes.at(-1).secret.defaultMode).toBe(256);
  });

  test('builds the folder as a kustomization', async () => {
    await runProgram([
      'generate',
      '--endpoint',
      'git@h:r',
      '--image',
      'x:1',
      '--egress',
      '192.0.2.0/24:22',
      '--pdb',
      '--service-account',
      'sa',
      '--output-dir',
      folder,
    ]);
    const built = parseAllDocuments(kubectl(['kustomize', folder])).map((document) => document.toJS().kind);
    expect(built.sort()).toEqual(['Job', 'Namespace', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceAccount']);
  });
});

describe('orchestrator', () => {
  test('writes the block', async () => {
    const { code, stdout } = await runProgram(['orchestrator', ...MINIMAL]);
    expect(code).toBe(0);
    expect(parse(stdout).execution.workers).toHaveLength(4);
    const json = await runProgram(['orchestrator', ...MINIMAL, '--format', 'json']);
    expect(JSON.parse(json.stdout)).toStrictEqual(parse(stdout));
  });

  test('--as flags prints flags, and names the file that must still exist on standard error', async () => {
    const { stdout, stderr } = await runProgram(['orchestrator', ...MINIMAL, '--as', 'flags', '--count', '2']);
    expect(stdout).toBe(
      '--worker w-0=git@github.com:acme/release-mailbox.git\n--worker w-1=git@github.com:acme/release-mailbox.git\n',
    );
    expect(stderr).toContain('secretEnv: DISPAT_EXECUTION_SECRET');
  });

  test('--shell none -0 ends each argument with a zero byte', async () => {
    const { stdout } = await runProgram([
      'orchestrator',
      ...MINIMAL,
      '--as',
      'flags',
      '--count',
      '1',
      '--shell',
      'none',
      '-0',
      '-q',
    ]);
    expect(stdout).toBe('--worker\0w-0=git@github.com:acme/release-mailbox.git\0');
  });

  test('--as both is one file with the flags as comments, or two files', async () => {
    const { stdout } = await runProgram(['orchestrator', ...MINIMAL, '--as', 'both', '--count', '1']);
    expect(parse(stdout)).toEqual({
      execution: {
        role: 'orchestrator',
        secretEnv: 'DISPAT_EXECUTION_SECRET',
        timeouts: { preflight: 600, task: 3600, cancel: 60 },
      },
    });
    expect(stdout).toContain('# --worker w-0=git@github.com:acme/release-mailbox.git\n');
    await runProgram(['orchestrator', ...MINIMAL, '--as', 'both', '--output-dir', folder]);
    expect(readdirSync(folder).sort()).toEqual(['dispat-execution.yaml', 'worker-flags.txt']);
  });

  test('--as block takes no --dispat-config, as it would look at nothing in it', async () => {
    const missing = ['--dispat-config', join(folder, 'missing.yaml')];
    const { code, stdout, stderr } = await runProgram(['orchestrator', ...MINIMAL, ...missing]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('OPTIONS_CONFLICT dispat-config: found it, with --as block');
    const config = join(folder, 'pool.yaml');
    writeFileSync(config, `dispatConfig: ${join(folder, 'missing.yaml')}\n`);
    expect((await runProgram(['orchestrator', ...MINIMAL, '--config', config])).code).toBe(0);
  });

  test.each(['flags', 'both'])('A20: --as %s refuses a configuration that lists them', async (as) => {
    const file = join(folder, 'dispat.yaml');
    writeFileSync(file, 'execution:\n  workers:\n    - {name: w-0, endpoint: "git@h:r"}\n');
    const { code, stdout, stderr } = await runProgram([
      'orchestrator',
      ...MINIMAL,
      '--as',
      as,
      '--dispat-config',
      file,
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('LINKS_LISTED_TWICE');
  });
});

test.each(['generate', 'orchestrator'])(
  '%s writes a file or a folder, and not one of the two in silence',
  async (command) => {
    const places = ['--output', join(folder, 'one.yaml'), '--output-dir', join(folder, 'many')];
    const refused = await runProgram([command, ...MINIMAL, ...places]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('OPTIONS_CONFLICT output-dir');
    expect([existsSync(join(folder, 'one.yaml')), existsSync(join(folder, 'many'))]).toEqual([false, false]);
  },
);

test('no policy beside a kind of policy is a contradiction', async () => {
  const refused = await runProgram(['generate', ...MINIMAL, '--policy-kind', 'cilium']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--no-network-policy beside --policy-kind cilium');
  expect(await runProgram(['generate', ...MINIMAL, '--policy-kind', 'none'])).toMatchObject({ code: 0 });
});

describe('init', () => {
  const answers = 'git@h:acme/m.git\nx:1\n6\n\n\n\n192.0.2.0/24:22, 198.51.100.0/24:443\n';

  async function* typed(text: string): AsyncGenerator<string> {
    yield text;
  }

  test('asks on a terminal, and writes a commented file that generates', async () => {
    const file = join(folder, 'pool.yaml');
    const stdin = Object.assign(typed(answers), { isTTY: true });
    const { code, stderr } = await runProgram(['init', '--output', file], { stdin });
    expect(code).toBe(0);
    expect(stderr).toContain('How many workers [4]: ');
    const text = readFileSync(file, 'utf8');
    expect(parse(text)).toEqual({
      endpoint: 'git@h:acme/m.git',
      image: 'x:1',
      count: 6,
      egress: ['192.0.2.0/24:22', '198.51.100.0/24:443'],
    });
    expect(text).toContain('# How long the release waits for all workers, in seconds.\n#preflight: 600\n');
    const { stdout } = await runProgram(['generate', '--config', file]);
    expect(stdout).toContain('completions: 6\n');
  });

  test('every default that it shows as a comment is the one that holds', async () => {
    const { stdout: text } = await runProgram(['init', ...MINIMAL, '--output', '-']);
    const spoken = text.replace(/# For example:\n#.*\n/g, '').replace(/^#([a-z][A-Za-z]*:)/gm, '$1');
    const without = await runProgram(['generate', '--config', '-', '--quiet'], { input: text });
    const withAll = await runProgram(['generate', '--config', '-', '--quiet'], {
      input: spoken.replace(/^policyKind: standard\n/m, ''),
    });
    expect(withAll).toMatchObject({ code: 0, stdout: without.stdout });
  });

  test('begins with an options file, and asks for the rest alone', async () => {
    const old = join(folder, 'old.yaml');
    writeFileSync(old, 'endpoint: git@h:acme/m.git\ncount: 3\nttl: 900\n');
    const stdin = Object.assign(typed('x:1\n\n\n\n-\n'), { isTTY: true });
    const { code, stdout, stderr } = await runProgram(['init', '--config', old, '--count', '5', '--output', '-'], {
      stdin,
    });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/mailbox repository|How many/);
    expect(parse(stdout)).toEqual({
      endpoint: 'git@h:acme/m.git',
      count: 5,
      ttl: 900,
      image: 'x:1',
      policyKind: 'none',
    });
  });

  test('tells what is wrong on a line of its own when the input ends early', async () => {
    const stdin = Object.assign(typed('git@h:acme/m.git\n'), { isTTY: true });
    const { stderr } = await runProgram(['init', '--output', '-'], { stdin });
    expect(stderr).toMatch(/your build tools: \nError: OPTION_MISSING/);
  });

  test('takes flags instead, and says what is missing', async () => {
    const file = join(folder, 'pool.yaml');
    const { code, stderr } = await runProgram(['init', '--image', 'x:1', '--output', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('ENDPOINT_MISSING');
    expect(existsSync(file)).toBe(false);
  });

  test('leaves an existing file alone, unless told otherwise', async () => {
    const file = join(folder, 'pool.yaml');
    writeFileSync(file, 'mine\n');
    expect(await runProgram(['init', ...MINIMAL, '--output', file])).toMatchObject({ code: 5 });
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    expect(await runProgram(['init', ...MINIMAL, '--output', file, '--force'])).toMatchObject({ code: 0 });
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ policyKind: 'none' });
  });

  test('--format json writes one document to standard output', async () => {
    const { stdout } = await runProgram(['init', ...MINIMAL, '--count', '2', '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      endpoint: 'git@github.com:acme/release-mailbox.git',
      image: 'registry.example.com/release/worker:1',
      count: 2,
      policyKind: 'none',
    });
  });
});

describe('the program', () => {
  test('shows its commands', async () => {
    const { code, stdout } = await runProgram(['--help']);
    expect(code).toBe(0);
    for (const name of ['init', 'generate', 'orchestrator']) expect(stdout).toContain(`dispat-worker-manifest ${name}`);
  });

  test('describes commands and flags in one style: in small letters, but for names', () => {
    const names = /^(?:[A-Z][A-Za-z]*[A-Z]|Jobs?\b|Secrets\b|Karpenter\b)/;
    const texts = commands.flatMap((command) => [
      command.describe,
      ...Object.values(flagsOf(command)).map(({ describe: text }) => text ?? ''),
    ]);
    expect(texts.filter((text) => text !== '' && !/^[a-z0-9/`-]/.test(text) && !names.test(text))).toEqual([]);
  });

  test.each([['--help'], ['generate', '--help']])('describes its own flags so too: %s %s', async (...args) => {
    const { stdout } = await runProgram(args);
    expect(stdout).toMatch(/--version +show the version/);
    expect(stdout).toMatch(/--help +show the help/);
  });

  test('has a help for every option', async () => {
    const { stdout } = await runProgram(['generate', '--help']);
    expect(stdout).toContain('--ssh-mode');
    expect(stdout).toContain('--no-extras');
  });

  test('an unknown command is exit 2', async () => {
    expect(await runProgram(['genrate'])).toMatchObject({ code: 2, stdout: '' });
  });
});
