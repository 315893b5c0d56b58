import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { block, DNS_RULE, GIT_RULE, governed } from '../../test/checked.js';
import { documentedExecutionText, documentedPoolText } from '../../test/documented.js';
import { sarifSchema } from '../../test/sarif-schema.js';
import { runProgram } from '../../test/world.js';

let folder: string;
let manifest: string;
let config: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'));
  manifest = await write('pool.yaml', documentedPoolText);
  config = await write('dispat.yaml', documentedExecutionText);
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const checkIt = (...args: string[]) => runProgram(['check', manifest, '--dispat-config', config, ...args]);

describe('the exit code', () => {
  test('is 1 for an error, and 0 without one', async () => {
    expect((await checkIt()).code).toBe(1);
    const good = await write('good.yaml', governed([DNS_RULE, GIT_RULE]));
    expect((await runProgram(['check', good, '--dispat-config', config])).code).toBe(0);
  });

  test.each([
    ['error', 0],
    ['warning', 1],
    ['info', 1],
    ['never', 0],
  ])('with --fail-on %s is %i for warnings', async (level, code) => {
    const ran = await checkIt('--disable', 'DWM204', '--disable', 'dwm216', '--fail-on', level);
    expect(ran.code).toBe(code);
  });

  test.each([
    [['--fail-on', 'errors'], 'OPTION_INVALID fail-on'],
    [['--disable', 'DWM9'], 'OPTION_INVALID disable'],
    [['--severity', 'DWM101=loud'], 'OPTION_INVALID severity'],
    [['--machine-cpu', 'x'], 'QUANTITY_INVALID machineCpu'],
    [['--machines', '0'], 'OPTION_INVALID machines'],
  ])('is 2 for %j, and nothing is on standard output', async (args, says) => {
    const ran = await checkIt(...args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
  });

  test('is 2 without a pool, with the problem as JSON on request', async () => {
    const ran = await runProgram(['check', config, '--format', 'json']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr).problems).toMatchObject([{ code: 'NO_POOL' }]);
  });

  test('is 5 for a file that is not there', async () => {
    expect(await runProgram(['check', join(folder, 'none.yaml')])).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('the input', () => {
  test('is 2 for wrong flags and files together, all of which are told at once', async () => {
    const ran = await runProgram([
      'check',
      manifest,
      ...['--dispat-config', join(folder, 'no-config'), '--plan', join(folder, 'no-plan'), '--machines', '0'],
      ...[
        '--machine-cpu',
        '1e999',
        '--worker',
        '=x',
        '--durations',
        await write('d.json', '{"defaults":{"build":"x"}}'),
      ],
    ]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.match(/Error: [A-Z_]+/g)?.toSorted()).toEqual([
      'Error: CONFIG_NOT_READABLE',
      'Error: CONFIG_NOT_READABLE',
      'Error: DURATION_INVALID',
      'Error: OPTION_INVALID',
      'Error: OPTION_INVALID',
      'Error: QUANTITY_INVALID',
    ]);
  });

  test('is 2 for aliases that multiply out, and for a depth nobody writes: the file is at fault, and no option', async () => {
    const bomb = Array.from({ length: 8 }, (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}, `.repeat(9)}]\n`);
    for (const text of [bomb.join(''), `a: ${'['.repeat(150)}${']'.repeat(150)}\n`]) {
      const ran = await runProgram(['check'], { input: text });
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toMatch(/^Error: YAML_INVALID /);
    }
  });

  test('may come from a pipe, with or without a hyphen', async () => {
    for (const args of [['check'], ['check', '-']]) {
      const ran = await runProgram([...args, '--format', 'json'], { input: documentedPoolText });
      expect(JSON.parse(ran.stdout).pools).toMatchObject([{ name: 'dispat-workers' }]);
    }
  });

  test('may be a folder, whose YAML and JSON files are read', async () => {
    const sub = join(folder, 'deploy', 'workers');
    await mkdir(sub, { recursive: true });
    await writeFile(join(sub, 'pool.yml'), documentedPoolText);
    await writeFile(join(folder, 'deploy', 'account.json'), '{"kind": "ServiceAccount", "metadata": {"name": "a"}}');
    await writeFile(join(sub, 'notes.txt'), 'a: [');
    const ran = await runProgram(['check', join(folder, 'deploy'), '--format', 'json']);
    expect(JSON.parse(ran.stdout).findings.map(({ file }: { file: string }) => file)).toContain(join(sub, 'pool.yml'));
  });

  test('is asked for on a terminal', async () => {
    const stdin = Object.assign((async function* () {})(), { isTTY: true });
    const ran = await runProgram(['check'], { stdin });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('OPTION_MISSING');
  });

  test('takes options from a file, in which a flag of the command line wins', async () => {
    const options = await write('options.yaml', 'disable: [DWM216, DWM204]\nfailOn: warning\nrefsProtected: true\n');
    expect((await checkIt('--config', options)).code).toBe(1);
    expect((await checkIt('--config', options, '--fail-on', 'error')).code).toBe(0);
    expect((await checkIt('--config', options)).stdout).not.toContain('DWM222');
  });
});

describe('the text', () => {
  test('fits 80 columns, has no colours in a pipe, and ends with the count', async () => {
    const { stdout } = await checkIt();
    // A path is longer than a line and is not broken.
    const long = stdout.split('\n').filter((line) => line.length > 80 && !line.includes(folder));
    expect(long).toEqual([]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/2 errors, 4 warnings, 7 info in Job release\/dispat-workers \(w-0, w-1, w-2, w-3\)\./);
  });

  test.each([
    ['has colours on a terminal', {}, [], true],
    ['has none with NO_COLOR', { NO_COLOR: '1' }, [], false],
    ['has none with --no-color', {}, ['--no-color'], false],
  ])('%s', async (_, env, args, coloured) => {
    let stdout = '';
    const terminal = { write: (text: string) => (stdout += text), isTTY: true, columns: 80 };
    await runProgram(['check', manifest, '--dispat-config', config, ...args], { env, stdout: terminal });
    expect(stdout.includes('\u001b[31m')).toBe(coloured);
  });

  test('leaves notes out with --quiet', async () => {
    const { stdout } = await checkIt('--quiet');
    expect(stdout).not.toContain('DWM308');
    expect(stdout).toContain('DWM216');
  });

  test('tells what is ignored, and why', async () => {
    const ignoring = documentedPoolText.replace(
      '  namespace: release\n',
      '  namespace: release\n  annotations: {dispat.dev/ignore: DWM216, dispat.dev/ignore-reason: the image maps it}\n',
    );
    const { stdout } = await runProgram(['check'], { input: ignoring });
    expect(stdout).toContain('DWM216: the image maps it');
  });
});

describe('the JSON', () => {
  test('follows its schema', async () => {
    const schema = JSON.parse(
      await readFile(join(import.meta.dirname, '..', '..', 'schemas', 'check.schema.json'), 'utf8'),
    );
    const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
    const report = JSON.parse((await checkIt('--format', 'json')).stdout);
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
    expect(report.summary).toEqual({ error: 2, warning: 4, info: 7, ignored: 0 });
  });

  test('can be written to a file', async () => {
    const output = join(folder, 'report.json');
    const ran = await checkIt('--format', 'json', '--output', output);
    expect(ran.stdout).toBe('');
    expect(JSON.parse(await readFile(output, 'utf8')).summary.error).toBe(2);
  });
});

describe('the SARIF', () => {
  test('is SARIF 2.1.0, lists every rule, and points at lines', async () => {
    const log = JSON.parse((await checkIt('--format', 'sarif')).stdout);
    const validate = new Ajv({ strict: true, allErrors: true }).compile(sarifSchema);
    validate(log);
    expect(validate.errors ?? []).toEqual([]);
    const [run] = log.runs;
    for (const result of run.results) expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
    const key = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === 'DWM216');
    expect(key).toMatchObject({
      level: 'error',
      locations: [{ physicalLocation: { region: { startLine: 61 } }, logicalLocations: [{ name: 'dispat-workers' }] }],
    });
  });

  test('carries what is ignored as suppressed', async () => {
    const ignoring = documentedPoolText.replace(
      '  namespace: release\n',
      '  namespace: release\n  annotations: {dispat.dev/ignore: DWM216, dispat.dev/ignore-reason: the image maps it}\n',
    );
    const { stdout } = await runProgram(['check', '--format', 'sarif'], { input: ignoring });
    const result = JSON.parse(stdout).runs[0].results.find(({ ruleId }: { ruleId: string }) => ruleId === 'DWM216');
    expect(result.suppressions).toEqual([{ kind: 'inSource', justification: 'the image maps it' }]);
  });
});

test('a plan and durations are read for DWM122', async () => {
  const consumers = ['a', 'b', 'c', 'd'].map(
    (name) => `{"package":"${name}","dependsOn":["core"],"message":"changed"}`,
  );
  const plan = await write('plan.jsonl', ['{"package":"core","message":"changed"}', ...consumers].join('\n'));
  const durations = await write('durations.json', '{"defaults":{"build":600},"packages":{"core":{"build":2400}}}');
  const { stdout } = await checkIt('--plan', plan, '--durations', durations);
  expect(stdout).toContain('a node stands idle for 40 min');
});

test('an endpoint is never shown with its user', async () => {
  const other = await write('other.yaml', block().replaceAll('git@github.com:acme', 'deploy-user@github.com:other'));
  const { stdout } = await runProgram(['check', manifest, '--dispat-config', other]);
  expect(stdout).toContain('REDACTED@github.com:other');
  expect(stdout).not.toContain('deploy-user');
});

test.each([
  ['with its mark', Buffer.from('\ufeffkind: Job\n', 'utf16le')],
  ['without', Buffer.from('kind: Job\n', 'utf16le')],
  ['the other way round', Buffer.from('\ufeffkind: Job\n', 'utf16le').swap16()],
])('UTF-16 is called by its name: %s', async (_how, bytes) => {
  async function* bytesOf(): AsyncGenerator<Buffer> {
    yield bytes;
  }
  for (const args of [['check'], ['size'], ['generate', '--config', '-']]) {
    const { code, stdout, stderr } = await runProgram(args, { stdin: bytesOf() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/YAML_INVALID standard input: found UTF-16, .*; allowed: UTF-8;/);
  }
});
