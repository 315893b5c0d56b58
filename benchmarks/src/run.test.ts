import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Benchmark, Lab, Result } from './benchmark.js';
import type { Host } from './report.js';
import { runBenchmarks } from './run.js';

const lab: Lab = { seed: 7, now: () => 0, cpu: () => 0, node: 'node', root: '.', env: {} };

const host: Host = { node: '20.19.0', cores: 2, memoryGiB: 4, date: '2027-01-04' };

const rate = (ratio: number, more: Partial<Result> = {}): Result => ({
  unit: '/s',
  ours: ratio * 1e6,
  reference: 1e6,
  ratio,
  better: 'higher',
  target: 0.8,
  bar: 0.5,
  ...more,
});

function bench(id: string, kind: 'virtual' | 'real', ...results: (Result | Error)[]): Benchmark {
  let at = 0;
  const run = async (): Promise<Result> => {
    const next = results[Math.min(at++, results.length - 1)];
    if (next === undefined || next instanceof Error) throw next ?? new Error('no result');
    return next;
  };
  return { id, kind, what: 'something', measurements: [{ what: 'a row', run }] };
}

async function runWith(benchmarks: readonly Benchmark[], ...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const code = await runBenchmarks(benchmarks, args, lab, host, (more) => {
    text += more;
  });
  return { code, text };
}

describe('verdicts', () => {
  test.each([
    ['target', rate(0.8)],
    ['pass', rate(0.79)],
    ['pass', rate(0.5)],
    ['missed', rate(0.49)],
    ['target', rate(1, { better: 'lower', target: 1, bar: 2 })],
    ['pass', rate(2, { better: 'lower', target: 1, bar: 2 })],
    ['missed', rate(2.1, { better: 'lower', target: 1, bar: 2 })],
    ['target', rate(0.9, { spread: { min: 0.8, max: 1.2 } })],
    ['noisy', rate(0.9, { spread: { min: 0.8, max: 1.21 } })],
    ['noisy', rate(0.1, { spread: { min: 0.1, max: 0.2 } })],
  ])('%s', async (verdict, result) => {
    const { text } = await runWith([bench('P01', 'real', result)], '--json', '-');
    expect(JSON.parse(text).rows[0]).toMatchObject({ id: 'P01', kind: 'real', what: 'a row', verdict });
  });

  test('a row without a bar is for interest', async () => {
    const { target, bar, ...unjudged } = rate(0.1);
    const { text } = await runWith([bench('P01', 'real', unjudged)], '--json', '-');
    expect(JSON.parse(text).rows[0]).toMatchObject({ verdict: 'info' });
  });

  test('a noisy row is measured once more, and the second time counts', async () => {
    const noisy = rate(0.4, { spread: { min: 0.2, max: 0.6 } });
    const { text } = await runWith([bench('P01', 'real', noisy, rate(0.9))], '--json', '-');
    expect(JSON.parse(text).rows[0]).toMatchObject({ ratio: 0.9, verdict: 'target' });
  });
});

describe('the exit code', () => {
  test.each([
    [0, [rate(0.4)], []],
    [1, [rate(0.4)], ['--check']],
    [0, [rate(0.6)], ['--check']],
    [0, [rate(0.4, { spread: { min: 0.2, max: 0.6 } })], ['--check']],
    [1, [new Error('one machine was created twice')], []],
  ] as const)('is %i', async (code, results, args) => {
    expect((await runWith([bench('P01', 'virtual', ...results)], ...args)).code).toBe(code);
  });

  test.each([['P99'], ['--kind', 'unreal'], ['--seed', 'x'], ['--fast']])('is 64 for %s', async (...args) => {
    const { code, text } = await runWith([bench('P01', 'real', rate(1))], ...args);
    expect(code).toBe(64);
    expect(text).toContain('Usage: npm run bench');
  });
});

test('a wrong outcome is shown with its reason, and the other rows beside it', async () => {
  const benchmarks = [
    bench('P01', 'virtual', new Error('one machine was created twice')),
    bench('P02', 'virtual', rate(1)),
  ];
  const { text } = await runWith(benchmarks);
  expect(text).toContain('a row failed: one machine was created twice');
  expect(text).toContain('P02');
});

test('only those asked for run, by id in any case and by kind', async () => {
  const benchmarks = [bench('P01', 'real', rate(1)), bench('P02', 'virtual', rate(1)), bench('P03', 'real', rate(1))];
  const ids = async (...args: string[]): Promise<string[]> =>
    JSON.parse((await runWith(benchmarks, ...args, '--json', '-')).text).rows.map((row: { id: string }) => row.id);
  expect(await ids()).toEqual(['P01', 'P02', 'P03']);
  expect(await ids('p03')).toEqual(['P03']);
  expect(await ids('--kind', 'virtual')).toEqual(['P02']);
});

test('the seed is printed, and can be given', async () => {
  expect((await runWith([], '--seed', '42')).text).toContain('--seed 42');
  expect((await runWith([])).text).toContain('--seed 7');
});

test('--json writes a file beside the table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-bench-'));
  const { text } = await runWith([bench('P01', 'real', rate(1))], '--json', join(folder, 'out.json'));
  expect(text).toContain('P01 something (real)');
  expect(JSON.parse(await readFile(join(folder, 'out.json'), 'utf8'))).toMatchObject({
    seed: 7,
    host,
    rows: [{ id: 'P01' }],
  });
  await rm(folder, { recursive: true });
});

test('a failure tells no path of the machine', async () => {
  let text = '';
  const at = { ...lab, root: '/home/someone/rungar', node: '/opt/node/bin/node' };
  const failing = bench('P01', 'real', new Error('/opt/node/bin/node /home/someone/rungar/x.js ended with 1'));
  await runBenchmarks([failing], ['--json', '-'], at, host, (more) => {
    text += more;
  });
  expect(JSON.parse(text).rows[0]).toMatchObject({ failure: 'node ./x.js ended with 1' });
});
