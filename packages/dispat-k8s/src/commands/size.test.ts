import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../test/world.js';
import { StopRequest } from '../exit.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'size-'));
});
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
};

const plan = [
  '{"package":"core","space":"libs","message":"● changed"}',
  ...Array.from({ length: 12 }, (_, index) => `{"package":"c${index + 1}","dependsOn":["core"],"message":"● changed"}`),
  '{"message":"release plan ready","packages":13,"releasing":13,"held":0}',
].join('\n');
const durations = '{"defaults":{"build":5,"publish":0.5},"packages":{"core":{"build":"3s"}}}';
const bare = ['--overhead', '0', '--local', '0'];

test('A59: prints the numbers as JSON', async () => {
  const ran = await runProgram([
    'size',
    '--plan',
    await write('plan.jsonl', plan),
    '--durations',
    await write('d.json', durations),
    ...bare,
    '--format',
    'json',
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(ran.stdout);
  expect(report).toMatchObject({
    levelWidth: 12,
    width: 12,
    peak: 12,
    lowerBound: 14,
    bind: 'chain',
    recommended: 9,
    knee: 9,
  });
  expect(report.rows.slice(0, 3).map(({ n, time }: { n: number; time: number }) => [n, time])).toEqual([
    [1, 63.5],
    [2, 34],
    [3, 24.5],
  ]);
  expect(report.assumptions.length).toBeGreaterThan(0);
});

test('reads the plan from a pipe, and draws a row with a bar for each size', async () => {
  const ran = await runProgram(['size', '--durations', await write('d.json', durations), ...bare], { input: plan });
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^ +9 +14\.5 s .*█ ◀ knee$/m);
  expect(ran.stdout).toMatch(/^ +10 +14 s .*█ ◀ bound$/m);
  expect(ran.stdout.trimEnd().split('\n').at(-1)).toMatch(/^Recommended: 9 workers .*\.$/);
});

test('counts the lines that are no JSON', async () => {
  const args = ['size', '--durations', await write('d.json', durations), ...bare, '--format', 'json'];
  const ran = await runProgram(args, { input: `loading …\n\nwarning: old\n${plan}` });
  expect(JSON.parse(ran.stdout).assumptions).toContain('2 lines of the plan, which are no JSON, say nothing of it');
});

test('writes comma-separated values', async () => {
  const ran = await runProgram(['size', '--durations', await write('d.json', durations), ...bare, '--format', 'csv'], {
    input: plan,
  });
  const lines = ran.stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('n,time,lowerBound,speedUp,saved,utilisation,workerMinutes,longestGap,bound,knee,rise');
  expect(lines[1]?.startsWith('1,63.5,63,1,0,')).toBe(true);
  expect(lines).toHaveLength(13);
});

test('writes a plot with the knee and the lower bound', async () => {
  const file = join(folder, 'curve.svg');
  const ran = await runProgram(['size', '--durations', await write('d.json', durations), ...bare, '--plot', file], {
    input: plan,
  });
  expect(ran.code).toBe(0);
  const svg = await readFile(file, 'utf8');
  expect(svg).toContain('9 workers: 14.5 s');
  expect(svg).toContain('lower bound 14 s');
  expect(svg.match(/<circle class="dot"/g)).toHaveLength(12);
});

test('takes the build budget from the dispat configuration, and names it', async () => {
  const config = await write('dispat.yaml', 'concurrency: [4, 1]\n');
  const ran = await runProgram(
    ['size', '--durations', await write('d.json', durations), '--dispat-config', config, ...bare],
    { input: plan },
  );
  expect(ran.stdout).toContain('Recommended: 4 workers (20 s, the best time), because the build budget, `concurrency`');
});

test('takes flags from an options file, in which a flag of the command line wins', async () => {
  const config = await write(
    'options.yaml',
    'overhead: 0\nlocal: 0\ntargetGain: 15\nimage: registry.example.com/worker:1\n',
  );
  const args = ['size', '--config', config, '--durations', await write('d.json', durations), '--format', 'json'];
  expect(JSON.parse((await runProgram(args, { input: plan })).stdout).recommended).toBe(6);
  expect(JSON.parse((await runProgram([...args, '--target-gain', '5'], { input: plan })).stdout).recommended).toBe(9);
});

test('relations and repositories can be told by space or package', async () => {
  const ran = await runProgram(
    [
      'size',
      '--durations',
      await write('d.json', durations),
      ...bare,
      '--relation',
      'libs=none',
      '--repository',
      'libs=one',
      '--format',
      'json',
    ],
    { input: plan },
  );
  expect(JSON.parse(ran.stdout)).toMatchObject({ width: 13, publishChains: [{ repository: 'one' }, {}] });
});

describe('what is wrong', () => {
  test('A62: a plan that is not JSON is exit 2, and standard output stays empty', async () => {
    const ran = await runProgram(['size'], { input: 'INF ● changed package=core\n' });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('PLAN_NOT_JSON');
    expect(ran.stderr).toContain('--log-format json');
  });

  test('every file that cannot be read is told', async () => {
    const ran = await runProgram(['size', '--plan', '/none/p', '--durations', '/none/d', '--dispat-config', '/none/c']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr.match(/CONFIG_NOT_READABLE \S+/g)).toEqual([
      'CONFIG_NOT_READABLE /none/p:',
      'CONFIG_NOT_READABLE /none/c:',
      'CONFIG_NOT_READABLE /none/d:',
    ]);
  });

  test.each([
    ['null', 'DOCUMENT_NOT_OBJECT'],
    ['{}', 'DURATION_INVALID'],
    ['{"defaults": {}, "packages": {}}', 'DURATION_INVALID'],
    ['{"defaults": 4}', 'DOCUMENT_NOT_OBJECT'],
  ])('durations that say nothing are no minutes: %s', async (text, code) => {
    const ran = await runProgram(['size', '--durations', await write('none.json', text)], { input: plan });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.match(/Error: [A-Z_]+/g)).toEqual([`Error: ${code}`]);
  });

  test('is told all at once, in JSON on request', async () => {
    const bad = await write('bad.json', '{"default":{},"packages":{"core":{"build":"soon"}}}');
    const ran = await runProgram(
      [
        'size',
        '--durations',
        bad,
        '--tie',
        'nam',
        '--max',
        '0',
        '--overhead',
        'x',
        '--relation',
        'core=later',
        '--format',
        'json',
      ],
      { input: plan },
    );
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const codes = JSON.parse(ran.stderr).problems.map(({ code, at }: { code: string; at: string }) => `${code} ${at}`);
    expect(codes.sort()).toEqual([
      expect.stringMatching(/^CONFIG_UNKNOWN_KEY .*default$/),
      'DURATION_INVALID overhead',
      'DURATION_INVALID packages.core.build',
      'OPTION_INVALID max',
      'OPTION_INVALID relation',
      'OPTION_INVALID tie',
    ]);
  });

  test('a file that is not there is exit 5', async () => {
    const ran = await runProgram(['size', '--plan', join(folder, 'none')]);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toContain('CONFIG_NOT_READABLE');
  });

  test('no plan on a terminal is said, not waited for', async () => {
    const ran = await runProgram(['size'], { stdin: Object.assign((async function* () {})(), { isTTY: true }) });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('OPTION_MISSING');
  });
});

test('a Ctrl-C while it computes ends it there', async () => {
  const stop = new AbortController();
  async function* planThenInterrupt(): AsyncGenerator<string> {
    yield plan;
    setImmediate(() => stop.abort(new StopRequest('SIGINT')));
  }
  const ran = await runProgram(['size', ...bare], { stdin: planThenInterrupt(), signal: stop.signal });
  expect(ran).toEqual({ code: 130, stdout: '', stderr: '' });
});
